#include "profile/trust.h"

#include <gtest/gtest.h>

namespace cutelab::profile {
namespace {

class Trust : public ::testing::Test {
 protected:
  Trust() {
    timing.samples_us = std::vector<double>(64, 100);
    timing.summary = summarize(timing.samples_us);
    timing.two_events_us = 1.3;
    timing.state = {1980, 3201, 400, 40, {}};
    timing.least_sm_clock_mhz = 1965;
    timing.max_sm_clock_mhz = 1980;
    timing.recheck = {true, true, ""};
    check.made = check.passed = true;
    floor = Floor{Microseconds(80), Microseconds(5), "datasheet", "memory"};
  }
  evidence::Run::Trust verdict() const { return judge({timing, spec, floor, check}); }
  void expect(const std::string& word, const std::string& reason) const {
    const auto trust = verdict();
    EXPECT_EQ(trust.verdict, word);
    ASSERT_EQ(trust.reasons.size(), 1u);
    EXPECT_EQ(trust.reasons[0], reason);
  }
  Timing timing;
  TimingSpec spec;
  evidence::Run::Check check;
  std::optional<Floor> floor;
};

TEST_F(Trust, ASteadyCheckedTimeIsTrustedAndSaysWhatThatRestsOn) {
  expect(
      "trusted",
      "64 launches, median known to 0.00 %, SM clock steady at 1980 MHz, not held down; checked before, same "
      "outputs after");
}

TEST_F(Trust, ATimeBelowTheFloorIsRejectedUnlessL2MayHoldTheData) {
  floor->memory = Microseconds(100.5);
  expect("rejected", "100.00 us is below the floor of 100.50 us (memory at datasheet)");
  spec.l2 = L2State::warm;
  EXPECT_EQ(verdict().verdict, "trusted");
}

TEST_F(Trust, ChangedOutputsRejectTheTime) {
  timing.recheck = {true, false, "relative error 1"};
  expect("rejected", "the outputs changed during the timing: relative error 1");
}

TEST_F(Trust, AWrongKernelHasNoTime) {
  check.passed = false;
  expect("rejected", "the check failed: a wrong kernel has no time");
}

TEST_F(Trust, AMovingClockIsDoubtful) {
  timing.least_sm_clock_mhz = 1200;
  expect("doubtful", "the SM clock moved: 1200 MHz at least, 1980 MHz in the median");
}

TEST_F(Trust, AClockFarBelowTheChipsOwnIsDoubtful) {
  timing.max_sm_clock_mhz = 2400;
  expect("doubtful", "the SM clock was 1980 of 2400 MHz");
}

TEST_F(Trust, ThrottlingIsNamed) {
  timing.throttle_reasons = {"software power cap", "hardware slowdown"};
  expect("doubtful", "clocks were held down by: hardware slowdown, software power cap");
}

TEST_F(Trust, SpreadAndMethodAreWeighed) {
  timing.summary.first_quartile = 94;
  timing.summary.third_quartile = 106;
  expect("doubtful", "half of the launches spread over 12.0 % of the median");
  timing.summary = summarize(timing.samples_us);
  timing.summary.median_error = 0.02;
  expect("doubtful", "the median is known to 2.0 % only");
  timing.summary.median_error = 0;
  timing.two_events_us = 20;
  expect("doubtful", "two events with nothing between take 20.00 us, 20 % of the median");
}

TEST_F(Trust, WithoutNvmlTheClockIsNotKnown) {
  timing.state = {};
  expect("doubtful", "clock and power could not be read (no NVML)");
}

TEST_F(Trust, AnUncheckedTimeIsDoubtful) {
  check.made = false;
  expect("doubtful", "not checked against the reference (--check)");
}

TEST_F(Trust, NoSamplesAreRejected) {
  timing.summary = summarize({});
  EXPECT_EQ(verdict().verdict, "rejected");
  EXPECT_EQ(verdict().reasons[0], "no launch was timed");
}

}  // namespace
}  // namespace cutelab::profile
