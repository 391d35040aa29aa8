#include "profile/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "device/fake_device.h"
#include "evidence/metrics.h"

namespace cutelab::profile {
namespace {

using Kind = evidence::VerdictKind;

/// Times of a machine that does what machines do: a clock that wanders and drops for a while, noise of each
/// launch that remembers the launch before, rare interruptions, a timer with steps.
struct Noise {
  double relative = 0.006;  ///< deviation of a launch
  double memory = 0;        ///< how much of it the next launch of the same kernel keeps, 0 … 1
  double drift = 0;         ///< deviation of the shared clock's step from round to round
  double throttled = 0;     ///< slower by this in every other second hundred rounds
  double interrupted = 0;   ///< share of launches that take up to 60 % longer
  double step_us = 0;       ///< of the timer
};

class Machine {
 public:
  Machine(const Noise& noise, unsigned seed) : noise_(noise), random_(seed) {}

  /// One round of two kernels of `us` and `us * (1 + slower)`.
  std::pair<double, double> round(double us, double slower) {
    clock_ *= 1 + noise_.drift * normal_(random_);
    const double throttle = rounds_++ / 100 % 2 ? 1 + noise_.throttled : 1;
    const double shared = us * clock_ * throttle;
    return {one(shared, left_), one(shared * (1 + slower), right_)};
  }

 private:
  double one(double us, double& state) {
    state = noise_.memory * state + std::sqrt(1 - noise_.memory * noise_.memory) * normal_(random_);
    us *= 1 + noise_.relative * state;
    if (unit_(random_) < noise_.interrupted) us *= 1 + 0.6 * unit_(random_);
    return noise_.step_us > 0 ? std::max(noise_.step_us, std::round(us / noise_.step_us) * noise_.step_us)
                              : us;
  }
  Noise noise_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> unit_;
  double clock_ = 1;
  double left_ = 0;
  double right_ = 0;
  int rounds_ = 0;
};

/// Verdicts of 200 comparisons, each looking after every 30 rounds as the measurement does.
std::map<Kind, int> verdicts(const Noise& noise, double slower, double us = 66) {
  std::map<Kind, int> count;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Machine machine(noise, seed);
    std::vector<double> left, right;
    evidence::Verdict verdict;
    for (int round = 1; round <= 1500; ++round) {
      const auto [a, b] = machine.round(us, slower);
      left.push_back(a);
      right.push_back(b);
      if (round < 60 || round % 30 != 0) continue;
      verdict = judge_difference(paired_difference(left, right, CompareSpec().z), CompareSpec().margin);
      if (verdict.kind != Kind::ambiguous) break;
    }
    ++count[verdict.kind];
  }
  return count;
}

const std::map<std::string, Noise> machines = {{"quiet", {0.002, 0, 0, 0, 0, 0}},
                                               {"plain", {0.006, 0, 0, 0, 0, 0}},
                                               {"drifting", {0.006, 0, 0.002, 0, 0, 0}},
                                               {"throttling", {0.006, 0, 0.0005, 0.08, 0, 0}},
                                               {"interrupted", {0.006, 0, 0.0005, 0, 0.05, 0}},
                                               {"remembering", {0.006, 0.9, 0, 0, 0, 0}},
                                               {"coarse timer", {0.006, 0, 0.0005, 0, 0.01, 0.256}},
                                               {"all at once", {0.008, 0.7, 0.001, 0.08, 0.05, 0.032}}};

TEST(CompareVerdict, TheSameBinaryIsSameInNineteenOfTwenty) {
  for (const auto& [name, noise] : machines) {
    auto count = verdicts(noise, 0);
    EXPECT_GE(count[Kind::same], 190) << name;
    EXPECT_LE(count[Kind::slower] + count[Kind::faster], 2) << name << ": a false claim";
  }
}

TEST(CompareVerdict, ThreePercentSlowerIsSlowerInNineteenOfTwenty) {
  for (const auto& [name, noise] : machines) {
    auto count = verdicts(noise, 0.03);
    EXPECT_GE(count[Kind::slower], 190) << name;
    EXPECT_EQ(count[Kind::faster], 0) << name;
  }
}

TEST(CompareVerdict, FasterIsTheMirrorOfSlower) {
  EXPECT_GE(verdicts(machines.at("plain"), -0.03)[Kind::faster], 190);
}

TEST(CompareVerdict, AtTheMarginItSaysThatItDoesNotKnow) {
  auto count = verdicts(machines.at("plain"), 0.01);
  EXPECT_GE(count[Kind::ambiguous], 190);
}

TEST(CompareDifference, SwappingTheSidesMirrorsTheInterval) {
  Machine machine(machines.at("all at once"), 1);
  std::vector<double> left, right;
  for (int i = 0; i < 301; ++i) {
    const auto [a, b] = machine.round(40, 0.05);
    left.push_back(a);
    right.push_back(b);
  }
  const auto forth = paired_difference(left, right, 3);
  const auto back = paired_difference(right, left, 3);
  EXPECT_NEAR((1 + forth.centre) * (1 + back.centre), 1, 1e-12);
  EXPECT_LE(forth.low, forth.centre);
  EXPECT_LE(forth.centre, forth.high);
  EXPECT_NEAR((1 + forth.low) * (1 + back.high), 1, 0.005);
}

TEST(CompareDifference, TwoRoundsOnlyAreNotEnoughForAVerdict) {
  const auto difference = paired_difference({10, 12}, {11, 11}, 3);
  EXPECT_EQ(judge_difference(difference, 0.01).kind, Kind::ambiguous);
}

TEST(CompareDifference, AFarSlowerOneIsSlowerHoweverItsTimesSpread) {
  std::vector<double> left,
      right;  // as 65,536 rows of 1,024 by CUB against a warp a row: 4.3 times, in two modes
  for (int i = 0; i < 300; ++i) {
    left.push_back(32.8 + 0.01 * (i % 7));
    right.push_back((i % 4 == 0 ? 131 : 140) + 0.01 * (i % 5));
  }
  const auto difference = paired_difference(left, right, 3);
  ASSERT_GT(difference.centre - difference.trimmed, 0.01) << "median and mean differ by more than the margin";
  EXPECT_EQ(judge_difference(difference, 0.01).kind, Kind::slower);
  EXPECT_EQ(judge_difference(paired_difference(right, left, 3), 0.01).kind, Kind::faster);
}

TEST(CompareDifference, TwoModesOfWhichTheMedianSeesOneAreAmbiguous) {
  std::vector<double> left, right;
  for (int i = 0; i < 300; ++i) {
    left.push_back(10 + 0.001 * (i % 7));
    right.push_back(i % 10 < 3 ? 15 : 10 + 0.001 * (i % 7));  // three of ten launches are half as fast
  }
  const auto verdict = judge_difference(paired_difference(left, right, 3), 0.01);
  EXPECT_EQ(verdict.kind, Kind::ambiguous);
  EXPECT_NE(verdict.reason.find("more than one mode"), std::string::npos) << verdict.reason;
}

TEST(CompareVerdict, ReasonsCarryTheInterval) {
  EXPECT_EQ(judge_difference({0.02, 0.03, 0.04, 0.03}, 0.01).reason, "+3.00 % (+2.00 … +4.00)");
  EXPECT_EQ(judge_difference({-0.001, 0, 0.001, 0}, 0.01).reason, "+0.00 % (-0.10 … +0.10), within 1 %");
  EXPECT_EQ(judge_difference({0.005, 0.01, 0.02, 0.01}, 0.01).reason,
            "+1.00 % (+0.50 … +2.00) reaches over the margin of 1 %");
}

class MillisecondClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return now += 1'000'000; }
  std::string utc_now() const override { return "2026-01-01T00:00:00Z"; }
  mutable std::int64_t now = 0;
};

class Interleaved : public ::testing::Test {
 protected:
  std::function<Status()> kernel(const std::string& name, double us) {
    return [this, name, us] {
      launched.push_back(name);
      machine.elapsed_us = [us](int n) { return us + 0.001 * (n % 5); };
      return Status();
    };
  }
  device::FakeMachine machine;
  MillisecondClock clock;
  std::vector<std::string> launched;
};

TEST_F(Interleaved, EveryRoundTimesEachOnceAndTheOrderChanges) {
  auto session = *device::fake_device(machine)->open(0);
  CompareSpec spec;
  spec.timing.warm_up_launches = 1;
  auto timings =
      time_interleaved(*session, {kernel("a", 10), kernel("b", 10.5), kernel("c", 10)}, spec, clock);
  ASSERT_TRUE(timings);
  ASSERT_EQ(timings->size(), 3u);
  for (const Timing& timing : *timings) EXPECT_EQ(timing.samples_us.size(), (*timings)[0].samples_us.size());
  EXPECT_NEAR((*timings)[1].summary.median, 10.502, 0.003);
  EXPECT_EQ((*timings)[0].stopped, StopRule::Reason::known_well_enough);
  EXPECT_GT((*timings)[0].seconds, 0);
  std::map<std::string, int> first;
  for (std::size_t i = 0; i + 3 <= launched.size(); i += 3) {
    ++first[launched[i]];
    EXPECT_EQ(std::set<std::string>(launched.begin() + static_cast<long>(i),
                                    launched.begin() + static_cast<long>(i) + 3)
                  .size(),
              3u);
  }
  for (const char* name : {"a", "b", "c"})
    EXPECT_NEAR(first[name], static_cast<int>(launched.size()) / 9, 2) << name << " goes first as often";
}

TEST_F(Interleaved, ACloseCallIsMeasuredUntilTheLimit) {
  auto session = *device::fake_device(machine)->open(0);
  CompareSpec spec;
  spec.most_rounds = 200;
  auto timings = time_interleaved(*session, {kernel("a", 10), kernel("b", 10.1)}, spec, clock);
  ASSERT_TRUE(timings);
  EXPECT_EQ((*timings)[0].stopped, StopRule::Reason::out_of_samples);
  EXPECT_EQ((*timings)[0].samples_us.size(), 200u);
}

TEST_F(Interleaved, AFailingLaunchIsAnError) {
  auto session = *device::fake_device(machine)->open(0);
  const auto bad = [] { return Status(Error{ErrorKind::unavailable, "launch", "refused", "", ""}); };
  auto timings = time_interleaved(*session, {kernel("a", 10), bad}, {}, clock);
  ASSERT_FALSE(timings);
  EXPECT_EQ(timings.error().wrong, "refused");
}

evidence::Run kept(double us, double clock, const std::string& inputs = "uniform [-1, 1)") {
  evidence::Run run;
  run.provenance.device = "NVIDIA H200";
  run.provenance.driver = "580";
  for (int i = 0; i < 100; ++i) run.samples_us.push_back(us + 0.01 * (i % 5));
  evidence::set_metric(run, "duration_us", us);
  evidence::set_metric(run, "sm_clock_mhz", clock);
  run.notes.push_back("L2 cold (clean unrelated lines); inputs " + inputs + "; 100 launches in 0.50 s");
  return run;
}

TEST(StoredRuns, AreJudgedWithTheSpreadBetweenRunsOnTop) {
  EXPECT_EQ(compare_stored(kept(100, 1980), kept(105, 1980), 0.01, 3).verdict.kind, Kind::slower);
  EXPECT_EQ(compare_stored(kept(100, 1980), kept(95, 1980), 0.01, 3).verdict.kind, Kind::faster);
  EXPECT_EQ(compare_stored(kept(100, 1980), kept(100.1, 1980), 0.01, 3).verdict.kind, Kind::same);
  EXPECT_EQ(compare_stored(kept(100, 1980), kept(101.2, 1980), 0.01, 3).verdict.kind, Kind::ambiguous)
      << "1.2 % less 0.6 % between runs may lie within the margin";
}

TEST(StoredRuns, MeasuredInAnotherWayAreNotJudged) {
  const auto left = kept(100, 1980);
  const auto said = [&](const evidence::Run& right) { return compare_stored(left, right, 0.01, 3).verdict; };
  EXPECT_EQ(said(kept(110, 1600)).kind, Kind::ambiguous);
  EXPECT_NE(said(kept(110, 1600)).reason.find("SM clock: 1980 against 1600 MHz"), std::string::npos);
  EXPECT_NE(said(kept(110, 1980, "zeros")).reason.find("cache and inputs"), std::string::npos);
  auto other = kept(110, 1980);
  other.provenance.device = "NVIDIA H100 80GB HBM3";
  EXPECT_NE(said(other).reason.find("device: NVIDIA H200 against"), std::string::npos);
  other = kept(110, 1980);
  other.provenance.driver = "575";
  EXPECT_NE(said(other).reason.find("driver: 580 against 575"), std::string::npos);
  other = kept(110, 1980);
  evidence::set_missing(other, "duration_us", "rejected: below the floor");
  EXPECT_EQ(said(other).kind, Kind::impossible);
  EXPECT_EQ(said(other).reason, "rejected: below the floor");
}

}  // namespace
}  // namespace cutelab::profile
