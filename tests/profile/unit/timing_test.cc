#include "profile/event_timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/fake_device.h"
#include "profile/runner.h"

namespace cutelab::profile {
namespace {

TEST(Statistics, KnownSamples) {
  const auto s = summarize({4, 1, 3, 2, 5});
  EXPECT_EQ(s.count, 5);
  EXPECT_DOUBLE_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.first_quartile, 2);
  EXPECT_DOUBLE_EQ(s.third_quartile, 4);
  EXPECT_DOUBLE_EQ(s.least, 1);
  EXPECT_DOUBLE_EQ(s.most, 5);
  EXPECT_NEAR(s.median_error, 1.2533 * (2 / 1.349) / std::sqrt(5.0) / 3, 1e-12);
  const auto even = summarize({1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(even.median, 2.5);
  EXPECT_DOUBLE_EQ(even.first_quartile, 1.75);
}

TEST(Statistics, ZeroSamplesAndOneSample) {
  const auto none = summarize({});
  EXPECT_EQ(none.count, 0);
  EXPECT_TRUE(std::isnan(none.median));
  EXPECT_TRUE(std::isnan(none.median_error));
  const auto one = summarize({7});
  EXPECT_DOUBLE_EQ(one.median, 7);
  EXPECT_DOUBLE_EQ(one.median_error, 0);
}

TEST(StopRule, EachReason) {
  const StopRule rule{10, 100, 0.01, 2, 0};
  const auto with = [](int count, double error) {
    Summary s;
    s.count = count;
    s.median_error = error;
    return s;
  };
  EXPECT_EQ(rule.decide(with(9, 0), 0), StopRule::Reason::go_on);
  EXPECT_EQ(rule.decide(with(10, 0.005), 0), StopRule::Reason::known_well_enough);
  EXPECT_EQ(rule.decide(with(50, 0.5), 1), StopRule::Reason::go_on);
  EXPECT_EQ(rule.decide(with(50, 0.5), 2), StopRule::Reason::out_of_time);
  EXPECT_EQ(rule.decide(with(100, 0.5), 0), StopRule::Reason::out_of_samples);
  EXPECT_EQ(rule.decide(summarize({}), 0), StopRule::Reason::go_on);  // NaN is never "well enough"
}

TEST(StopRule, NothingButTheTimeLimitStopsBeforeTheClockHasSettled) {
  const StopRule rule{10, 100, 0.01, 2, 0.5};
  Summary s;
  s.count = 1000;
  EXPECT_EQ(rule.decide(s, 0.4), StopRule::Reason::go_on);
  EXPECT_EQ(rule.decide(s, 0.5), StopRule::Reason::out_of_samples);
  s.count = 50;
  EXPECT_EQ(rule.decide(s, 0.5), StopRule::Reason::known_well_enough);
  s.median_error = 1;
  EXPECT_EQ(rule.decide(s, 2), StopRule::Reason::out_of_time);
}

class TickingClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return now += step_ns; }
  std::string utc_now() const override { return "2026-01-01T00:00:00Z"; }
  mutable std::int64_t now = 0;
  std::int64_t step_ns = 1;
};

class EventTiming : public ::testing::Test {
 protected:
  EventTiming() { machine.info.l2_bytes = 1 << 20; }
  static TimingSpec without_graph() {
    TimingSpec spec;
    spec.graph = GraphUse::off;
    spec.stop.least_seconds = 0;
    return spec;
  }
  bool logged(const std::string& start) const {
    return std::any_of(machine.log.begin(), machine.log.end(),
                       [&](auto& line) { return line.rfind(start, 0) == 0; });
  }
  Result<Timing> run(TimingSpec spec = without_graph()) {
    auto session = device::fake_device(machine)->open(0);
    return time_with_events(
        **session,
        [this] {
          ++launches;
          machine.log.emplace_back("launch");
          return Status();
        },
        spec, clock);
  }
  device::FakeMachine machine;
  TickingClock clock;
  int launches = 0;
};

TEST_F(EventTiming, SteadyTimesStopEarlyAndOnlyTheLaunchIsBetweenTheEvents) {
  auto timing = run();
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->stopped, StopRule::Reason::known_well_enough);
  EXPECT_DOUBLE_EQ(timing->summary.median, 10);
  EXPECT_LT(timing->samples_us.size(), 100u);
  const auto last = std::find(machine.log.rbegin(), machine.log.rend(), "launch");
  ASSERT_NE(last, machine.log.rend());
  EXPECT_EQ(*(last - 1), "record 15");
  EXPECT_EQ(*(last + 1), "record 14");
  EXPECT_EQ((last + 2)->rfind("sweep", 0), 0u) << "cold: the sweep lies before the timed region";
}

// A launch for which the host works ten times as long as the kernel runs.
TEST_F(EventTiming, WhatTheHostTakesStandsApart) {
  auto session = device::fake_device(machine)->open(0);
  auto timing = time_with_events(
      **session,
      [this] {
        clock.now += 100'000;
        return Status();
      },
      without_graph(), clock);
  ASSERT_TRUE(timing);
  EXPECT_DOUBLE_EQ(timing->summary.median, 10);
  EXPECT_NEAR(timing->host_launch_us, 100, 0.1);
  evidence::Run run;
  record_timing(run, *timing, without_graph(), {{}, Bytes(1), ""}, nullptr);
  EXPECT_NE(std::find(run.notes.begin(), run.notes.end(),
                      "the host takes 100.00 us to enqueue a launch, which is in no time here"),
            run.notes.end());
}

TEST_F(EventTiming, NoiseGoesOnUntilTimeIsOver) {
  machine.elapsed_us = [](int n) { return n % 2 ? 10.0 : 20.0; };
  clock.step_ns = 100'000'000;
  TimingSpec spec = without_graph();
  spec.stop.most_seconds = 1;
  auto timing = run(spec);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->stopped, StopRule::Reason::out_of_time);
}

TEST_F(EventTiming, WarmRunsTheKernelInsteadOfASweep) {
  TimingSpec spec = without_graph();
  spec.l2 = L2State::warm;
  auto timing = run(spec);
  ASSERT_TRUE(timing);
  EXPECT_FALSE(logged("sweep"));
  EXPECT_GT(launches, 2 * static_cast<int>(timing->samples_us.size()));
}

TEST_F(EventTiming, AShortKernelOnAWarmCacheIsReplayedAsAGraphOfWholeBatches) {
  TimingSpec spec;
  spec.l2 = L2State::warm;
  spec.stop.least_seconds = 0;
  auto timing = run(spec);  // 10 us
  ASSERT_TRUE(timing);
  EXPECT_TRUE(timing->graph);
  EXPECT_TRUE(logged("replay 0"));
  EXPECT_EQ(launches, 3 * 5 + 2 * 8) << "warm-up and one captured batch; the rest are replays";
  EXPECT_EQ(timing->samples_us.size() % 8, 0u);
  machine.log.clear();
  machine.elapsed_us = [](int) { return 500.0; };
  auto longer = run(spec);
  ASSERT_TRUE(longer);
  EXPECT_FALSE(longer->graph);
  EXPECT_FALSE(logged("capture"));
}

TEST_F(EventTiming, ALaunchThatCannotBeCapturedIsTimedWithoutAGraphAndSaysSo) {
  machine.failing["capture"] = "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
  TimingSpec spec;
  spec.graph = GraphUse::on;
  spec.stop.least_seconds = 0;
  auto timing = run(spec);
  ASSERT_TRUE(timing);
  EXPECT_FALSE(timing->graph);
  EXPECT_EQ(timing->graph_refused_because, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
  EXPECT_GE(timing->summary.count, 30);
}

TEST_F(EventTiming, ThrottlingAndTheLeastClockAreKept) {
  machine.sample = [](int n) {
    device::Sample s{n == 1 ? 1200.0 : 1980.0, 3201, 690, 60, {}};
    if (n == 2) s.throttle_reasons = {"software power cap"};
    return s;
  };
  auto timing = run();
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->least_sm_clock_mhz, 1200);
  EXPECT_EQ(timing->throttle_reasons, std::set<std::string>{"software power cap"});
  EXPECT_EQ(timing->state.sm_clock_mhz, 1980);
}

TEST_F(EventTiming, AFailingDeviceIsAnErrorNotATime) {
  machine.failing["elapsed"] = "CUDA_ERROR_ILLEGAL_ADDRESS";
  auto timing = run();
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().wrong, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

}  // namespace
}  // namespace cutelab::profile
