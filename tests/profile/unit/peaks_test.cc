// Peaks, fills and line tables: what a time is held against and what it was taken with.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "base/file_source.h"
#include "evidence/metrics.h"
#include "profile/roofline.h"
#include "profile/runner.h"

namespace cutelab::profile {
namespace {

std::vector<DeviceFacts> shipped() {
  const DiskFileSource files;
  auto all = load_device_facts(files, CUTELAB_SOURCE_DIR "/data/devices.json");
  EXPECT_TRUE(all) << all.error().message();
  return *all;
}

/// The numbers of "132 SMs x 4096 flop/clk x 1.83 GHz" or "132 SMs x 128 lanes x 2 x 1.98 GHz", multiplied.
double by_formula(const std::string& source) {
  const std::regex whole(R"((\d+) SMs((?: x [\d.]+(?: lanes| flop/clk)?)+) GHz)");
  std::smatch found;
  if (!std::regex_search(source, found, whole)) return 0;
  double product = std::stod(found[1]) * 1e9;
  const std::string factors = found[2];
  const std::regex number(R"([\d.]+)");
  for (auto it = std::sregex_iterator(factors.begin(), factors.end(), number); it != std::sregex_iterator();
       ++it)
    product *= std::stod(it->str());
  return product;
}

// P75: a peak is the dense one, says its source, and follows from the clock that it assumes.
TEST(Peaks, AreDenseAndFollowFromTheClockTheyAssume) {
  int tensor = 0;
  for (const DeviceFacts& device : shipped())
    for (const auto& [unit, rate] : device.flops) {
      EXPECT_NEAR(by_formula(rate.source) / rate.per_second, 1, 0.005)
          << device.name << " " << unit << ": " << rate.source;
      if (unit.find("-tensor") == std::string::npos) continue;
      ++tensor;
      const std::regex sparse(R"((\d+) with sparsity)");
      std::smatch found;
      ASSERT_TRUE(std::regex_search(rate.source, found, sparse)) << device.name << " " << unit;
      EXPECT_NEAR(std::stod(found[1]) * 1e12 / rate.per_second, 2, 0.005) << "sparsity doubles what is dense";
    }
  EXPECT_GE(tensor, 8);
}

TEST(Peaks, ARunNamesTheRateThatBoundsItWithItsSource) {
  const auto all = shipped();
  const auto* h200 = find_facts(all, "NVIDIA H200");
  ASSERT_NE(h200, nullptr);
  const auto note = [&](const kernel::Work& work, double us) {
    Timing timing;
    timing.samples_us = std::vector<double>(20, us);
    timing.summary = summarize(timing.samples_us);
    evidence::Run run;
    record_timing(run, timing, {}, work, h200);
    for (const auto& line : run.notes)
      if (line.rfind("roofline: ", 0) == 0) return line;
    return std::string();
  };
  const auto gemm = note({{{"bf16-tensor", 2e12}}, Bytes(100'000'000), "2·m·n·k"}, 3000);
  EXPECT_NE(gemm.find("bf16-tensor-bound"), std::string::npos) << gemm;
  EXPECT_NE(gemm.find("1979 with sparsity; 132 SMs x 4096 flop/clk x 1.83 GHz"), std::string::npos) << gemm;
  EXPECT_EQ(gemm.find("4.8 TB/s"), std::string::npos)
      << "the memory's source is not what bounds it: " << gemm;
  const auto norm = note({{{"fp32", 1e6}}, Bytes(1'000'000'000), "2·b·h·2"}, 400);
  EXPECT_NE(norm.find("memory-bound"), std::string::npos) << norm;
  EXPECT_NE(norm.find("4.8 TB/s"), std::string::npos) << norm;
}

// P86: what the inputs held, the clock and the power stand with the time; zeros are not asked for by default.
TEST(Fills, AreRecordedWithClockAndPowerAndZerosAreDoubtful) {
  TimingSpec spec;
  EXPECT_EQ(spec.fill, kernel::Fill::uniform);
  spec.fill = kernel::Fill::zeros;
  Timing timing;
  timing.samples_us = std::vector<double>(20, 100);
  timing.summary = summarize(timing.samples_us);
  timing.state.sm_clock_mhz = 1755;
  timing.state.power_w = 640;
  evidence::Run run;
  record_timing(run, timing, spec, {{}, Bytes(1), ""}, nullptr);
  EXPECT_NE(run.notes[0].find("inputs zeros"), std::string::npos) << run.notes[0];
  EXPECT_EQ(evidence::metric_of(run, "sm_clock_mhz")->value, 1755);
  EXPECT_EQ(evidence::metric_of(run, "power_w")->value, 640);
  EXPECT_EQ(run.trust.verdict, "doubtful");
  bool said = false;
  for (const auto& reason : run.trust.reasons) said = said || reason.find("the inputs are zeros") == 0;
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace cutelab::profile
