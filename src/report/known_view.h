#pragma once
#include <string>

#include "evidence/known.h"
#include "report/view.h"

namespace cutelab::report {

/// What the knowledge base says of a reading: entries that it confirms, refines, contradicts or lacks, and
/// what is new.
/// ```
/// known patterns (docs/knowledge): confirms 1, refines 1, new: P8
///   relation  entry                         patterns  lines   details
///   confirms  tma-multi-stage-pipeline      P1        30, 32
///   refines   warp-specialization-          P2        31, 34  adds {fact: {family:
///             registers                                       D1, kind: role}}
/// ```
std::string known(const evidence::Reading& reading, const evidence::Knowledge& knowledge,
                  const ViewOptions& options);

}  // namespace cutelab::report
