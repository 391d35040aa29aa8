#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evidence/run.h"

namespace cutelab::report {

/// One run for a terminal: what, where, one row per metric, the check, remarks. A row without a value says
/// why; a reason that several have is said once below (report/footnotes.h). `width`: render::fitted.
/// ```
/// rmsnorm v0 (cute-cpp) on NVIDIA H200, sm_90a: b=8192 dtype=bf16 h=8192
///
/// | Metric           | Value | Remark                                        |
/// |------------------|------:|-----------------------------------------------|
/// | Duration (us)    | 66.02 |                                               |
/// | TC%              |     - | needs hardware counters: --prof_type=annotation |
/// …
/// check: passed, relative error 0.00163 (allowed 0.00391: …), worst y[17][4095]: 1.25 against 1.24
/// time: trusted: 40 launches, median known to 0.05 %, …
/// warps: long_scoreboard 71.2 %, barrier 9.8 %, … (all 19 states: 100.0 %)
/// - L2 cold (clean unrelated lines); …
/// ```
std::string run_report(const evidence::Run& run, int width = 0);

/// Stored runs, one line each.
std::string run_list(const std::vector<std::pair<std::int64_t, evidence::Run>>& runs, int width = 0);

}  // namespace cutelab::report
