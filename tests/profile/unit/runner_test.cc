#include "profile/runner.h"

#include <gtest/gtest.h>

#include <cstring>

#include "device/fake_device.h"
#include "evidence/metrics.h"
#include "profile/unit/double_plan.h"

namespace cutelab::profile {
namespace {

TEST_F(Runner, ARightKernelPassesOnEveryFillAndRaggedProblem) {
  auto check = check_kernel(*session, plan, params, {}, good);
  ASSERT_TRUE(check);
  EXPECT_EQ(check->lines.size(), 4u);
  EXPECT_TRUE(check->passed()) << check->worst()->report.text;
  evidence::Run run;
  record_check(run, *check);
  EXPECT_TRUE(run.check.made);
  EXPECT_TRUE(run.check.passed);
}

TEST_F(Runner, OutputsArePoisonedSoThatAnUnwrittenElementIsSeen) {
  HostKernel forgetful;
  forgetful.leave_out = 1;
  auto check = check_kernel(*session, plan, params, {}, forgetful);
  ASSERT_TRUE(check);
  EXPECT_FALSE(check->passed());
  EXPECT_EQ(check->worst()->report.first_bad_index, 7);
  evidence::Run run;
  record_check(run, *check);
  EXPECT_FALSE(run.check.passed);
}

TEST_F(Runner, LargeProblemsGetTheirReferenceFromTheDevice) {
  LargePlan large;
  ASSERT_TRUE(wants_device_reference(large, params, {}));
  EXPECT_FALSE(wants_device_reference(plan, params, {}));
  auto check = check_kernel(*session, large, params, {}, good, {}, &good);
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->passed());
  EXPECT_EQ(check->on_device, 3) << "three fills; the ragged problem is small";
  EXPECT_EQ(large.on_host, 2) << "the proof and the ragged problem";
  HostKernel forgetful;
  forgetful.leave_out = 1;
  auto bad = check_kernel(*session, large, params, {}, forgetful, {}, &good);
  ASSERT_TRUE(bad);
  EXPECT_FALSE(bad->passed());
  evidence::Run run;
  record_check(run, *check);
  EXPECT_EQ(run.notes[0].rfind(
                "reference operators of the device: 3 of 4 outputs; against the host's on n=1: passed", 0),
            0u)
      << run.notes[0];
}

TEST_F(Runner, OperatorsThatContradictTheHostAreNotAsked) {
  LargePlan large;
  HostKernel wrong;
  wrong.leave_out = 1;
  auto check = check_kernel(*session, large, params, {}, good, {}, &wrong);
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->passed());
  EXPECT_EQ(check->on_device, 0);
  EXPECT_NE(check->operators_text.find("FAILED"), std::string::npos) << check->operators_text;
  large.small_ones = false;
  auto unproven = check_kernel(*session, large, params, {}, good, {}, &good);
  ASSERT_TRUE(unproven);
  EXPECT_EQ(unproven->on_device, 0) << "nothing to prove them on";
}

/// A runtime that takes every launch, says nothing and does nothing where the memory is not there.
struct SilentKernel final : kernel::Launchable {
  mutable int launches = 0;
  Status launch(const std::vector<std::byte>&, const kernel::LaunchShape&, void*) const override {
    ++launches;
    return {};
  }
};

TEST_F(Runner, MoreSharedMemoryThanABlockMayOptInToIsRefusedBeforeTheLaunch) {
  machine.info.smem_per_block_bytes = 101376;
  const auto here = *device::fake_device(machine)->open(0);
  auto problem = BoundProblem::bind(*here, plan, params, {}, kernel::Fill::uniform, 1);
  ASSERT_TRUE(problem);
  const SilentKernel kernel;
  problem->shape.dynamic_smem_bytes = 197632;
  const auto refused = problem->launch(*here, kernel);
  ASSERT_FALSE(refused);
  EXPECT_EQ(kernel.launches, 0);
  EXPECT_EQ(
      refused.error().wrong,
      "197,632 bytes of shared memory are more than the 101,376 that a block may opt in to on Fake GPU");
  problem->shape.dynamic_smem_bytes = 101376;  // the limit itself; beyond 48 KiB is no fault
  EXPECT_TRUE(problem->launch(*here, kernel));
  EXPECT_EQ(kernel.launches, 1);
}

TEST_F(Runner, OperatorsMayWriteMoreThanTheKernelDoes) {
  LargePlan large;
  large.writes_more = true;
  auto check = check_kernel(*session, large, params, {}, good, {}, &good);
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->passed());
  EXPECT_EQ(check->on_device, 3);
}

TEST_F(Runner, NoCheckedProblemIsNotAPass) { EXPECT_FALSE(CheckResult{}.passed()); }

/// Right for its first `good` launches, then it writes nothing.
struct TiringKernel final : kernel::Launchable {
  HostKernel inner;
  mutable int left;
  explicit TiringKernel(int good) : left(good) {}
  Status launch(const std::vector<std::byte>& arguments, const kernel::LaunchShape& shape,
                void* stream) const override {
    return left-- > 0 ? inner.launch(arguments, shape, stream) : Status();
  }
};

TEST_F(Runner, OutputsAreLookedAtAgainAfterTheTiming) {
  machine.info.l2_bytes = 1 << 20;
  const SystemClock clock;
  TimingSpec spec;
  spec.stop.least_seconds = 0;
  auto timing = time_kernel(*session, plan, params, {}, good, spec, clock);
  ASSERT_TRUE(timing);
  EXPECT_TRUE(timing->recheck.made);
  EXPECT_TRUE(timing->recheck.same);
  auto tired = time_kernel(*session, plan, params, {}, TiringKernel(1), spec, clock);
  ASSERT_TRUE(tired);
  EXPECT_FALSE(tired->recheck.same) << "outputs were poisoned before the timing and stayed so";
}

DeviceFacts facts() {
  DeviceFacts f;
  f.name = "Fake GPU";
  f.dram_peak = Rate{1e12, "datasheet"};
  f.dram_measured = Rate{0.8e12, "copy"};
  f.flops["fp32"] = Rate{1e13, "datasheet"};
  return f;
}

Timing timing_of(double us) {
  Timing timing;
  timing.samples_us = std::vector<double>(40, us);
  timing.summary = summarize(timing.samples_us);
  timing.stopped = StopRule::Reason::known_well_enough;
  return timing;
}

TEST(Record, RatesAndRoofline) {
  evidence::Run run;
  const kernel::Work work{{{"fp32", 1e6}}, Bytes(8'000'000), "test"};
  const auto f = facts();
  record_timing(run, timing_of(20), {}, work, &f);
  EXPECT_DOUBLE_EQ(*evidence::metric_of(run, "duration_us")->value, 20);
  EXPECT_DOUBLE_EQ(*evidence::metric_of(run, "bandwidth_tbs")->value, 0.4);
  EXPECT_NEAR(*evidence::metric_of(run, "roofline_percent")->value, 50, 1e-9);
  EXPECT_NEAR(*evidence::metric_of(run, "peak_percent")->value, 40, 1e-9);
  EXPECT_EQ(evidence::metric_of(run, "power_w")->missing_because, "NVML did not tell");
}

TEST(Record, ATimeBelowTheFloorIsRejected) {
  const kernel::Work work{{{"fp32", 1e6}}, Bytes(8'000'000), "test"};
  const auto f = facts();
  evidence::Run run;
  record_timing(run, timing_of(7.9), {}, work, &f);  // the floor is 8 us
  EXPECT_FALSE(evidence::metric_of(run, "duration_us")->value);
  EXPECT_EQ(evidence::metric_of(run, "duration_us")
                ->missing_because.rfind("rejected: 7.90 us is below the floor of 8.00 us", 0),
            0u);
  TimingSpec warm;
  warm.l2 = L2State::warm;
  evidence::Run from_cache;
  record_timing(from_cache, timing_of(7.9), warm, work, &f);
  EXPECT_TRUE(evidence::metric_of(from_cache, "duration_us")->value) << "L2 may hold it all";
}

TEST(Record, AnUnknownDeviceKeepsTheTimeAndSaysWhyThereIsNoRoofline) {
  evidence::Run run;
  record_timing(run, timing_of(20), {}, {{{"fp32", 1e6}}, Bytes(8'000'000), "test"}, nullptr);
  EXPECT_TRUE(evidence::metric_of(run, "duration_us")->value);
  EXPECT_EQ(evidence::metric_of(run, "roofline_percent")->missing_because,
            "data/devices.json has no rates for this device");
}

TEST(Roofline, TheShippedDeviceFactsLoad) {
  const DiskFileSource files;
  auto all = load_device_facts(files, CUTELAB_SOURCE_DIR "/data/devices.json");
  ASSERT_TRUE(all) << all.error().message();
  const auto* h200 = find_facts(*all, "NVIDIA H200");
  ASSERT_NE(h200, nullptr);
  EXPECT_EQ(h200->arch, "sm_90a");
  EXPECT_EQ(find_facts(*all, "h200"), h200);
  EXPECT_EQ(find_facts(*all, "GeForce 256"), nullptr);
  for (const auto& facts_here : *all) {
    ASSERT_TRUE(facts_here.dram_peak);
    if (facts_here.dram_measured) {
      EXPECT_LT(facts_here.dram_measured->per_second, facts_here.dram_peak->per_second);
    }
    for (const auto& [unit, rate] : facts_here.flops) EXPECT_FALSE(rate.source.empty()) << unit;
  }
}

}  // namespace
}  // namespace cutelab::profile
