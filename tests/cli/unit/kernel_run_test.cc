#include "cli/kernel_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "device/fake_device.h"
#include "evidence/metrics.h"

namespace cutelab::cli {
namespace {

/// No sources below this root, so nothing can be compiled: what is asked of the device is seen apart from it.
class KernelRunTest : public ::testing::Test {
 protected:
  KernelOutcome run(const std::string& prof_type, bool check, const std::string& rows = "4") {
    auto package = *kernel::find_package(kernel::all_packages(), "rmsnorm", "");
    auto params =
        *kernel::parse_parameters("rmsnorm", package.plan->parameters(), {{"b", rows}, {"h", "64"}});
    auto config = package.plan->autotune_configs(params)[0];
    const KernelRequest request{package, params, config, prof_type, check, 0, {}};
    auto outcome = run_kernel(request, *device::fake_device(machine), dlopen_loader(), context);
    EXPECT_TRUE(outcome);
    return *outcome;
  }
  static bool says(const std::vector<std::string>& all, const std::string& text) {
    return std::any_of(all.begin(), all.end(), [&](auto& s) { return s.find(text) != std::string::npos; });
  }
  device::FakeMachine machine;
  std::ostringstream out;
  std::ostringstream err;
  DiskFileSource files;
  SystemClock clock;
  Environment environment;
  Context context{out, err, files, clock, environment, "cutelab", "/nonexistent-root", false, false, 100};
};

TEST_F(KernelRunTest, WithoutAGpuEveryRowNamesTheReason) {
  machine.list_error = "the driver sees no GPU";
  const auto outcome = run("event", true);
  EXPECT_TRUE(says(outcome.not_done, "event timing: list the GPUs: the driver sees no GPU"));
  EXPECT_TRUE(says(outcome.not_done, "check: list the GPUs: the driver sees no GPU"));
  EXPECT_FALSE(outcome.run.check.made);
  EXPECT_EQ(outcome.run.check.not_made_because, "list the GPUs: the driver sees no GPU");
  for (const auto& metric : outcome.run.metrics) {
    EXPECT_FALSE(metric.value) << metric.tag;
    EXPECT_FALSE(metric.missing_because.empty()) << metric.tag;
  }
  EXPECT_NE(evidence::metric_of(outcome.run, "duration_us"), nullptr);
}

TEST_F(KernelRunTest, ALargeCheckWantsTheDevicesOperatorsAndSaysWhenItHasToDoWithout) {
  machine.list_error = "the driver sees no GPU";
  const auto without = "the host computes every reference: ";
  EXPECT_FALSE(says(run("event", true).run.notes, without)) << "a small one is the host's anyway";
  EXPECT_FALSE(says(run("event", false, "4000000").run.notes, without)) << "no check was asked for";
  EXPECT_TRUE(says(run("event", true, "4000000").run.notes, without));
}

TEST_F(KernelRunTest, AnotherArchitectureIsRefusedBeforeAnythingRuns) {
  machine.info.major = 12;
  machine.info.name = "NVIDIA GeForce RTX 5090";
  const auto outcome = run("event", false);
  EXPECT_TRUE(
      says(outcome.not_done, "NVIDIA GeForce RTX 5090 is sm_120a, the package is compiled for sm_90a"));
  EXPECT_TRUE(std::none_of(machine.log.begin(), machine.log.end(),
                           [](auto& l) { return l.rfind("allocate", 0) == 0; }));
}

TEST_F(KernelRunTest, CountersThatCannotBeReadLeaveEveryRowWithTheReason) {
  machine.list_error = "the driver sees no GPU";
  for (const char* type : {"annotation", "ncu"}) {
    const auto outcome = run(type, false);
    for (const char* tag : {"tc_percent", "dram_percent", "achieved_occupancy_percent", "stall_barrier"})
      EXPECT_EQ(evidence::metric_of(outcome.run, tag)->missing_because,
                "list the GPUs: the driver sees no GPU")
          << tag;
  }
}

TEST_F(KernelRunTest, LaunchingWithoutMeasuringNeedsADeviceAndSaysSo) {
  machine.list_error = "the driver sees no GPU";
  EXPECT_TRUE(says(run("launch", false).not_done, "launch: list the GPUs: the driver sees no GPU"));
}

TEST_F(KernelRunTest, TheCompiledProfileDoesNotTouchTheDevice) {
  run("compiled", false);
  EXPECT_TRUE(machine.log.empty());
}

}  // namespace
}  // namespace cutelab::cli
