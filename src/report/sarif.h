#pragma once
#include <string>
#include <vector>

#include "evidence/reading.h"

namespace cutelab::report {

/// Findings of all readings as a SARIF 2.1.0 log (OASIS), which code review shows on the lines: one run, one
/// rule for each lint, one result for each finding with its message, formula, physical location and, as
/// related locations, what it is compared with. Paths are as they were named; a relative one is relative to
/// the folder that the tool ran in.
std::string sarif(const std::vector<evidence::Reading>& readings, const std::string& tool_version);

}  // namespace cutelab::report
