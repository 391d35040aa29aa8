#pragma once
#include <string>
#include <vector>

#include "report/view.h"

namespace cutelab::report {

/// One thing that one kernel source has and another has not, or has otherwise.
struct Difference {
  std::string section;  ///< "pipelines"
  std::string subject;  ///< "acc_pipeline"
  std::string left;     ///< what the first has; empty = nothing
  std::string right;    ///< what the second has; empty = nothing
  evidence::Location left_at, right_at;
};

/// Compares two readings in facts: architecture, patterns, launch, roles, pipelines, shared and tensor
/// memory, TMA, copies, MMA, layouts, synchronisation, scheduler, epilogue, rules. Post-conditions:
///   1. differences(a, a) is empty.
///   2. Values that one side could not determine make no difference.
///   3. Swapping the arguments swaps left and right.
std::vector<Difference> differences(const evidence::Reading& left, const evidence::Reading& right);

/// As aligned rows: `+` only the second has it, `-` only the first, `~` both, otherwise.
/// ```
/// fp16_gemm_0.py -> fp16_gemm_1.py: 3 new, 1 gone, 2 changed
///
/// roles
///   +  epilogue    warps (0, 1, 2, 3)                       :210
///   ~  load        warps 0  ->  warps 5                :88  :190
/// ```
std::string diff(const evidence::Reading& left, const evidence::Reading& right, const ViewOptions& options);

/// Schema cutelab.diff, version 1: left, right (paths) and differences, each with section, subject, change
/// (new, gone, changed), left, right (text, empty = nothing), left_line, right_line.
std::string diff_json(const evidence::Reading& left, const evidence::Reading& right);

}  // namespace cutelab::report
