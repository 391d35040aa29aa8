#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evidence/run.h"

namespace cutelab::report {

/// The runs of a sweep, one line each, with the parameters that vary as columns.
/// ```
/// |    b | dtype | Duration (us) | Quartiles   | … | Check  | Run | Remark |
/// | 1024 | bf16  |          6.21 | 6.19 … 6.24 | … | passed |  12 |        |
/// ```
std::string sweep_report(const std::vector<std::string>& varying,
                         const std::vector<std::pair<std::int64_t, evidence::Run>>& runs, int width = 0);

/// The same for machines (RFC 4180): plain numbers, every parameter and member of the configuration.
std::string sweep_csv(const std::vector<std::pair<std::int64_t, evidence::Run>>& runs);

}  // namespace cutelab::report
