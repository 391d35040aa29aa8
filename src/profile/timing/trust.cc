#include "profile/trust.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "evidence/metrics.h"

namespace cutelab::profile {
namespace {

using Reasons = std::vector<std::string>;

constexpr double near_most = 0.90;

Reasons rejections(const TrustCase& seen) {
  Reasons reasons;
  const double median = seen.timing.summary.median;
  if (seen.timing.summary.count == 0) reasons.emplace_back("no launch was timed");
  if (seen.floor && seen.spec.l2 != L2State::warm && median < seen.floor->time().count())
    reasons.push_back(fmt::format("{:.2f} us is below the floor of {:.2f} us ({} at {})", median,
                                  seen.floor->time().count(), seen.floor->bound, seen.floor->rate_source()));
  if (seen.timing.recheck.made && !seen.timing.recheck.same)
    reasons.push_back("the outputs changed during the timing: " + seen.timing.recheck.text);
  if (seen.check.made && !seen.check.passed)
    reasons.emplace_back("the check failed: a wrong kernel has no time");
  return reasons;
}

/// Clock and throttling. A kernel held by its power limit is timed as well as it can be, but its time is the
/// machine's as much as its own.
Reasons doubts_of_state(const TrustCase& seen) {
  constexpr double steady = 0.95;
  Reasons reasons;
  const Timing& timing = seen.timing;
  if (!timing.state.sm_clock_mhz) {
    reasons.emplace_back("clock and power could not be read (no NVML)");
    return reasons;
  }
  const double clock = *timing.state.sm_clock_mhz;
  if (timing.least_sm_clock_mhz < steady * clock)
    reasons.push_back(fmt::format("the SM clock moved: {:.0f} MHz at least, {:.0f} MHz in the median",
                                  timing.least_sm_clock_mhz, clock));
  if (timing.max_sm_clock_mhz > 0 && clock < near_most * timing.max_sm_clock_mhz)
    reasons.push_back(fmt::format("the SM clock was {:.0f} of {} MHz", clock, timing.max_sm_clock_mhz));
  if (!timing.throttle_reasons.empty()) {
    const Reasons all(timing.throttle_reasons.begin(), timing.throttle_reasons.end());
    reasons.push_back("clocks were held down by: " + join(all, ", "));
  }
  return reasons;
}

Reasons doubts_of_samples(const TrustCase& seen) {
  constexpr double well_known = 0.01;
  constexpr double narrow = 0.10;
  constexpr double small_part = 0.10;
  Reasons reasons;
  const Summary& s = seen.timing.summary;
  if (s.count == 0) return reasons;
  if (s.median_error > well_known)
    reasons.push_back(fmt::format("the median is known to {:.1f} % only", s.median_error * 100));
  if (s.third_quartile - s.first_quartile > narrow * s.median)
    reasons.push_back(fmt::format("half of the launches spread over {:.1f} % of the median",
                                  (s.third_quartile - s.first_quartile) / s.median * 100));
  if (seen.timing.two_events_us > small_part * s.median)
    reasons.push_back(fmt::format("two events with nothing between take {:.2f} us, {:.0f} % of the median",
                                  seen.timing.two_events_us, seen.timing.two_events_us / s.median * 100));
  return reasons;
}

Reasons doubts_of_correctness(const TrustCase& seen) {
  Reasons reasons;
  if (seen.spec.fill == kernel::Fill::zeros)
    reasons.emplace_back("the inputs are zeros: they take less power than data, so the clock stays higher");
  if (!seen.check.made) reasons.emplace_back("not checked against the reference (--check)");
  if (!seen.timing.recheck.made) reasons.emplace_back("the outputs were not looked at after the timing");
  return reasons;
}

}  // namespace

evidence::Run::Trust judge(const TrustCase& seen) {
  if (auto reasons = rejections(seen); !reasons.empty()) return {"rejected", std::move(reasons)};
  Reasons doubts;
  for (auto&& part : {doubts_of_state(seen), doubts_of_samples(seen), doubts_of_correctness(seen)})
    doubts.insert(doubts.end(), part.begin(), part.end());
  if (!doubts.empty()) return {"doubtful", std::move(doubts)};
  return {"trusted",
          {fmt::format("{} launches, median known to {:.2f} %, SM clock steady at {:.0f} MHz, not held down; "
                       "checked before, same outputs after",
                       seen.timing.summary.count, seen.timing.summary.median_error * 100,
                       seen.timing.state.sm_clock_mhz.value_or(0))}};
}

void doubt_clock(evidence::Run& run, int max_mhz) {
  const auto* clock = evidence::metric_of(run, "counter_clock_mhz");
  if (!clock || !clock->value || *clock->value >= near_most * max_mhz || run.trust.verdict == "rejected")
    return;
  if (run.trust.verdict == "trusted") run.trust.reasons.clear();
  run.trust.verdict = "doubtful";
  run.trust.reasons.push_back(
      fmt::format("the kernel ran at {:.0f} of {} MHz by the counters: the chip lowers its clock under it",
                  *clock->value, max_mhz));
}

}  // namespace cutelab::profile
