#pragma once
#include <string>
#include <vector>

#include "evidence/comparison.h"
#include "report/view.h"

namespace cutelab::report {

/// Both readings on the lines of the source: one row for each fact, with the values that both know.
/// ```
/// gemm.py for sm_90a, CuTe DSL 4.8.1: 1 agree, 1 filled, 1 differ, 1 source only, 1 compiled only
///
///   =  :22  pipeline  mainloop  stages 4
///   +  :30  launch    Gemm      grid ? -> (1, 1, 132)
///   ≠  :41  copy      tma_a     bytes 8192, compiled 16384
///   <  :50  commit    mainloop  compiles to nothing: the TMA unit arrives by itself
///   >  :61  barrier             id 1; threads 128
/// ```
/// `all`: those that agree too; else only the count of them.
std::string comparison(const evidence::Comparison& comparison, const ViewOptions& options, bool all);

const char* mark_of(evidence::Agreement agreement);  ///< "=", "+", "≠", "<", ">"
/// The values of a fact, those that differ first, and its reason: "bytes 8192, compiled 16384; stages 4".
std::string comparison_words(const evidence::ComparedFact& fact);

/// Schema cutelab.comparison, version 1 (docs/schema.md).
std::string comparison_json(const evidence::Comparison& comparison);

}  // namespace cutelab::report
