#pragma once
#include <string>

#include "evidence/known.h"
#include "report/view.h"

namespace cutelab::report {

/// What the knowledge base says of a reading: entries that it confirms, refines or contradicts, and what is
/// new.
/// ```
/// known patterns (docs/knowledge): 1 confirms, 1 refines, new: P8
///   relation  entry                          patterns  lines   details
///   confirms  tma-multi-stage-pipeline       P1        30, 32
///   refines   warp-specialization-registers  P2        31, 34  adds {fact: {family:
///                                                              D1, kind: role}}
/// ```
std::string known(const evidence::Reading& reading, const evidence::Knowledge& knowledge,
                  const ViewOptions& options);

}  // namespace cutelab::report
