#include "profile/event_timing.h"

#include <algorithm>

namespace cutelab::profile {

const char* text_of(L2State state) {
  switch (state) {
    case L2State::cold:
      return "cold (clean unrelated lines)";
    case L2State::dirty:
      return "cold (dirty unrelated lines, write-back included)";
    case L2State::warm:
      return "warm";
  }
  return "?";
}

namespace {

constexpr std::size_t sweep_times_l2 = 4;
constexpr int launches_between_samples = 8;

/// What a loop over launches needs; one function per step so that each is checked.
struct Loop {
  device::Session& session;
  const std::function<Status()>& launch;
  const TimingSpec& spec;
  device::Address buffer = 0;
  std::size_t bytes = 0;
  std::vector<device::Sample> states;

  Status prepare() {
    const auto l2 = static_cast<std::size_t>(std::max<std::int64_t>(session.info().l2_bytes, 1 << 20));
    bytes = l2 * sweep_times_l2;
    auto address = session.allocate(bytes);
    if (!address) return address.error();
    buffer = *address;
    return session.fill(buffer, 0, bytes);
  }

  Status set_l2() {
    if (spec.l2 == L2State::cold) return session.sweep(buffer, bytes);
    if (spec.l2 == L2State::dirty) return session.fill(buffer, 0, bytes);
    return launch();
  }

  /// The time of `work` (nothing, or a launch) after the cache has been set.
  Result<double> once(const std::function<Status()>& work) {
    if (auto s = set_l2(); !s) return s.error();
    if (auto s = session.record(0); !s) return s.error();
    if (auto s = work(); !s) return s.error();
    if (auto s = session.record(1); !s) return s.error();
    return session.elapsed_us();
  }
};

std::optional<double> median_of(const std::vector<device::Sample>& states,
                                std::optional<double> device::Sample::*member) {
  std::vector<double> values;
  for (const auto& state : states)
    if (state.*member) values.push_back(*(state.*member));
  if (values.empty()) return std::nullopt;
  return summarize(std::move(values)).median;
}

void digest(const std::vector<device::Sample>& states, Timing& timing) {
  timing.state.sm_clock_mhz = median_of(states, &device::Sample::sm_clock_mhz);
  timing.state.memory_clock_mhz = median_of(states, &device::Sample::memory_clock_mhz);
  timing.state.power_w = median_of(states, &device::Sample::power_w);
  timing.state.temperature_c = median_of(states, &device::Sample::temperature_c);
  for (const auto& state : states) {
    timing.throttle_reasons.insert(state.throttle_reasons.begin(), state.throttle_reasons.end());
    const double clock = state.sm_clock_mhz.value_or(0);
    if (clock > 0 && (timing.least_sm_clock_mhz == 0 || clock < timing.least_sm_clock_mhz))
      timing.least_sm_clock_mhz = clock;
  }
}

}  // namespace

Result<Timing> time_with_events(device::Session& session, const std::function<Status()>& launch,
                                const TimingSpec& spec, const Clock& clock) {
  Loop loop{session, launch, spec, 0, 0, {}};
  Timing timing;
  if (auto s = loop.prepare(); !s) return s.error();
  std::vector<double> nothing;
  for (int i = 0; i < spec.warm_up_launches; ++i) {
    if (auto warm = loop.once(launch); !warm) return warm.error();
    auto empty = loop.once([] { return Status(); });
    if (!empty) return empty.error();
    nothing.push_back(*empty);
  }
  timing.two_events_us = summarize(nothing).median;
  const std::int64_t begin = clock.now_ns();
  while (timing.stopped == StopRule::Reason::go_on) {
    auto us = loop.once(launch);
    if (!us) return us.error();
    timing.samples_us.push_back(*us);
    const int count = static_cast<int>(timing.samples_us.size());
    if (count % launches_between_samples == 1) loop.states.push_back(session.sample());
    if (count % launches_between_samples != 0 && count < spec.stop.most_samples) continue;
    timing.summary = summarize(timing.samples_us);
    timing.stopped = spec.stop.decide(timing.summary, static_cast<double>(clock.now_ns() - begin) * 1e-9);
  }
  digest(loop.states, timing);
  return timing;
}

}  // namespace cutelab::profile
