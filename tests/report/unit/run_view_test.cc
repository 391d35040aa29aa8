#include "report/run_view.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "report/footnotes.h"

namespace cutelab::report {
namespace {

const std::string no_driver = "load the CUDA driver: libcuda.so.1: cannot open shared object file";

evidence::Run run_without_gpu() {
  evidence::Run run;
  run.kernel = "rmsnorm";
  run.version = "v0";
  run.language = "cute-cpp";
  run.provenance.arch = "sm_90a";
  run.metrics = {{"duration_us", std::nullopt, no_driver},
                 {"power_w", std::nullopt, no_driver},
                 {"registers", std::nullopt, "not compiled: compile rmsnorm: there are no CUTLASS headers"},
                 {"smem_kb", std::nullopt, "not compiled: compile rmsnorm: there are no CUTLASS headers"}};
  run.check.not_made_because = no_driver;
  run.notes = {"not done: compile rmsnorm: there are no CUTLASS headers (try: `cutelab setup cutlass`)",
               "not done: event timing: " + no_driver};
  return run;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(RunView, AReasonIsSaidOnce) {
  const std::string out = run_report(run_without_gpu());
  EXPECT_EQ(times(out, "libcuda.so.1"), 1u) << out;
  EXPECT_EQ(times(out, "no CUTLASS headers"), 1u) << out;
  EXPECT_NE(out.find("check: not made: [1]\n"), std::string::npos) << out;
  EXPECT_NE(out.find("- not done: event timing: [1]\n"), std::string::npos) << out;
  EXPECT_NE(out.find("\n[1] load the CUDA driver"), std::string::npos)
      << "numbered in the order of the rows\n"
      << out;
  EXPECT_NE(out.find("- not done: [2] (try: `cutelab setup cutlass`)\n"), std::string::npos) << out;
}

TEST(RunView, AReasonOfOneRowStaysInItsRow) {
  evidence::Run run = run_without_gpu();
  run.metrics = {{"duration_us", std::nullopt, no_driver}};
  run.check.not_made_because.clear();
  run.notes.clear();
  const std::string out = run_report(run);
  EXPECT_EQ(out.find("[1]"), std::string::npos) << out;
  EXPECT_NE(out.find("- | " + no_driver), std::string::npos) << out;
}

TEST(RunView, FitsTheTerminal) {
  evidence::Run run = run_without_gpu();
  for (int i = 0; i < 9; ++i) run.provenance.configuration["parameter_" + std::to_string(i)] = "8192";
  const std::string report = run_report(run, 72);
  for (const std::string_view line : split(report, '\n')) EXPECT_LE(display_width(line), 72u) << line;
  run.provenance.time_utc = "2026-01-31T12:00:00Z";
  const std::string list = run_list({{1, run}}, 72);
  for (const std::string_view line : split(list, '\n')) EXPECT_LE(display_width(line), 72u) << list;
}

}  // namespace
}  // namespace cutelab::report
