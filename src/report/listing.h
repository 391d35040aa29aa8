#pragma once
#include <string>
#include <vector>

#include "report/view.h"

namespace cutelab::report {

/// Many readings, one row each: what it is, what it needs, how much is undetermined. Files without a kernel
/// are counted below.
/// ```
/// examples/
/// file               style     from   roles  pipelines  smem B  patterns  undetermined
/// scale.py           class     sm_90      2          1  66,560  1 2 10            2/17
/// tutorial/first.py  function  ?                                                   0/0
/// 2 files with kernels, 1 without; 32 facts, 4 of 34 values undetermined
/// ```
std::string listing(const std::vector<evidence::Reading>& readings, const ViewOptions& options);

}  // namespace cutelab::report
