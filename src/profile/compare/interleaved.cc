#include <algorithm>

#include "profile/compare.h"
#include "profile/l2_state.h"

namespace cutelab::profile {
namespace {

constexpr int rounds_between_looks = 30;

std::optional<double> median_state(const std::vector<device::Sample>& states,
                                   std::optional<double> device::Sample::*member) {
  std::vector<double> values;
  for (const auto& state : states)
    if (state.*member) values.push_back(*(state.*member));
  if (values.empty()) return std::nullopt;
  return summarize(std::move(values)).median;
}

/// The device's state is that of the rounds: all launches share it.
void record_states(const std::vector<device::Sample>& states, Timing& timing) {
  timing.state.sm_clock_mhz = median_state(states, &device::Sample::sm_clock_mhz);
  timing.state.memory_clock_mhz = median_state(states, &device::Sample::memory_clock_mhz);
  timing.state.power_w = median_state(states, &device::Sample::power_w);
  timing.state.temperature_c = median_state(states, &device::Sample::temperature_c);
  timing.state_samples = static_cast<int>(states.size());
  for (const auto& state : states) {
    timing.throttle_reasons.insert(state.throttle_reasons.begin(), state.throttle_reasons.end());
    const double clock = state.sm_clock_mhz.value_or(0);
    if (clock > 0 && (timing.least_sm_clock_mhz == 0 || clock < timing.least_sm_clock_mhz))
      timing.least_sm_clock_mhz = clock;
  }
}

/// Rounds of launches; one function per step.
class Rounds {
 public:
  Rounds(device::Session& session, const std::vector<std::function<Status()>>& launches,
         const CompareSpec& spec, const CacheSetter& cache)
      : session_(session), launches_(launches), spec_(spec), cache_(cache), timings_(launches.size()) {}

  /// One round in this round's order; `keep` = its times count.
  Status round(bool keep) {
    const std::size_t n = launches_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t forward = (i + static_cast<std::size_t>(turn_ / 2)) % n;
      const std::size_t which = turn_ % 2 ? n - 1 - forward : forward;
      auto us = once(launches_[which]);
      if (!us) return us.error();
      if (keep) timings_[which].samples_us.push_back(*us);
    }
    ++turn_;
    if (keep && turn_ % 8 == 1) states_.push_back(session_.sample());
    return {};
  }

  /// Two events with nothing between.
  Result<double> nothing() {
    return once([] { return Status(); });
  }

  bool all_judged() const {
    return std::all_of(timings_.begin() + 1, timings_.end(), [&](const Timing& timing) {
      const auto difference = paired_difference(timings_[0].samples_us, timing.samples_us, spec_.z);
      return judge_difference(difference, spec_.margin).kind != evidence::VerdictKind::ambiguous;
    });
  }

  std::vector<Timing> finish(StopRule::Reason stopped, double two_events_us, double seconds) {
    for (Timing& timing : timings_) {
      timing.summary = summarize(timing.samples_us);
      timing.stopped = stopped;
      timing.seconds = seconds;
      timing.two_events_us = two_events_us;
      record_states(states_, timing);
      timing.max_sm_clock_mhz = session_.info().max_sm_clock_mhz;
    }
    return std::move(timings_);
  }

 private:
  Status set_l2(const std::function<Status()>& launch) {
    return spec_.timing.l2 == L2State::warm ? launch() : cache_.set(spec_.timing.l2);
  }
  Result<double> once(const std::function<Status()>& launch) {
    if (auto s = set_l2(launch); !s) return s.error();
    if (auto s = session_.record(0); !s) return s.error();
    if (auto s = launch(); !s) return s.error();
    if (auto s = session_.record(1); !s) return s.error();
    return session_.elapsed_us();
  }

  device::Session& session_;
  const std::vector<std::function<Status()>>& launches_;
  const CompareSpec& spec_;
  const CacheSetter& cache_;
  std::vector<Timing> timings_;
  std::vector<device::Sample> states_;
  int turn_ = 0;
};

}  // namespace

Result<std::vector<Timing>> time_interleaved(device::Session& session,
                                             const std::vector<std::function<Status()>>& launches,
                                             const CompareSpec& spec, const Clock& clock) {
  if (launches.empty()) return std::vector<Timing>{};
  auto cache = CacheSetter::make(session);
  if (!cache) return cache.error();
  Rounds rounds(session, launches, spec, *cache);
  std::vector<double> nothing;
  for (int i = 0; i < std::max(1, spec.timing.warm_up_launches); ++i) {
    if (auto s = rounds.round(false); !s) return s.error();
    auto empty = rounds.nothing();
    if (!empty) return empty.error();
    nothing.push_back(*empty);
  }
  const std::int64_t begin = clock.now_ns();
  auto stopped = StopRule::Reason::go_on;
  double seconds = 0;
  for (int done = 1; stopped == StopRule::Reason::go_on; ++done) {
    if (auto s = rounds.round(true); !s) return s.error();
    seconds = static_cast<double>(clock.now_ns() - begin) * 1e-9;
    if (done >= spec.most_rounds)
      stopped = StopRule::Reason::out_of_samples;
    else if (seconds >= spec.most_seconds && done >= 2)
      stopped = StopRule::Reason::out_of_time;
    else if (done >= spec.least_rounds && seconds >= spec.least_seconds && done % rounds_between_looks == 0 &&
             rounds.all_judged())
      stopped = StopRule::Reason::known_well_enough;
  }
  return rounds.finish(stopped, summarize(nothing).median, seconds);
}

}  // namespace cutelab::profile
