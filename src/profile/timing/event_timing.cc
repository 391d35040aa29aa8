#include "profile/event_timing.h"

#include <algorithm>

namespace cutelab::profile {
namespace {

constexpr int launches_in_a_batch = 8;
static_assert(2 * launches_in_a_batch <= device::Session::most_events);

/// Below this a launch from the host, about 3 us each for the kernel and for what goes before it, can be the
/// slower side. Not so with a cold L2: the sweep before it takes longer, and there a graph's event nodes were
/// measured to add more (docs/devices/h200.md).
constexpr double short_kernel_us = 20;

/// What a loop over launches needs; one function per step so that each is checked.
struct Loop {
  device::Session& session;
  const std::function<Status()>& launch;
  const TimingSpec& spec;
  CacheSetter cache;
  int graph = -1;  ///< the captured batch; -1 = none
  std::vector<device::Sample> states;

  Status set_l2() { return spec.l2 == L2State::warm ? launch() : cache.set(spec.l2); }

  /// `work` (nothing, or a launch) between the n-th pair of events, after the cache has been set.
  Status enqueue(const std::function<Status()>& work, int n) {
    if (auto s = set_l2(); !s) return s;
    if (auto s = session.record(2 * n); !s) return s;
    if (auto s = work(); !s) return s;
    return session.record(2 * n + 1);
  }

  Result<double> once(const std::function<Status()>& work) {
    if (auto s = enqueue(work, 0); !s) return s.error();
    return session.elapsed_us();
  }

  Status enqueue_batch() {
    for (int n = 0; n < launches_in_a_batch; ++n)
      if (auto s = enqueue(launch, n); !s) return s;
    return {};
  }

  Status batch(std::vector<double>& samples_us) {
    if (auto s = graph >= 0 ? session.replay(graph) : enqueue_batch(); !s) return s;
    states.push_back(session.sample());  // while the batch runs
    for (int n = 0; n < launches_in_a_batch; ++n) {
      auto us = session.elapsed_us(2 * n, 2 * n + 1);
      if (!us) return us.error();
      samples_us.push_back(*us);
    }
    return {};
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
  timing.state_samples = static_cast<int>(states.size());
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

/// Warm-up launches, timed one by one on the device and on the host, and the time of two events with nothing
/// between them.
Status warm_up(Loop& loop, const Clock& clock, Timing& timing, double& median_us) {
  std::vector<double> launches;
  std::vector<double> nothing;
  std::vector<double> host;
  const auto launch = [&] {
    const std::int64_t begin = clock.now_ns();
    Status done = loop.launch();
    host.push_back(static_cast<double>(clock.now_ns() - begin) * 1e-3);
    return done;
  };
  for (int i = 0; i < loop.spec.warm_up_launches; ++i) {
    auto warm = loop.once(launch);
    if (!warm) return warm.error();
    auto empty = loop.once([] { return Status(); });
    if (!empty) return empty.error();
    launches.push_back(*warm);
    nothing.push_back(*empty);
  }
  timing.host_launch_us = summarize(host).median;
  timing.two_events_us = summarize(nothing).median;
  median_us = summarize(launches).median;
  return {};
}

void choose_graph(Loop& loop, double median_us, Timing& timing) {
  const bool wanted =
      loop.spec.graph == GraphUse::on || (loop.spec.graph == GraphUse::automatic &&
                                          loop.spec.l2 == L2State::warm && median_us < short_kernel_us);
  if (!wanted) return;
  auto graph = loop.session.capture([&] { return loop.enqueue_batch(); });
  timing.graph = graph.ok();
  if (graph)
    loop.graph = *graph;
  else
    timing.graph_refused_because = graph.error().wrong;
}

}  // namespace

Result<Timing> time_with_events(device::Session& session, const std::function<Status()>& launch,
                                const TimingSpec& spec, const Clock& clock) {
  auto cache = CacheSetter::make(session);
  if (!cache) return cache.error();
  Loop loop{session, launch, spec, *cache, -1, {}};
  Timing timing;
  double warm_us = 0;
  if (auto s = warm_up(loop, clock, timing, warm_us); !s) return s.error();
  choose_graph(loop, warm_us, timing);
  const std::int64_t begin = clock.now_ns();
  while (timing.stopped == StopRule::Reason::go_on) {
    if (auto s = loop.batch(timing.samples_us); !s) return s.error();
    timing.summary = summarize(timing.samples_us);
    timing.seconds = static_cast<double>(clock.now_ns() - begin) * 1e-9;
    timing.stopped = spec.stop.decide(timing.summary, timing.seconds);
  }
  digest(loop.states, timing);
  timing.max_sm_clock_mhz = session.info().max_sm_clock_mhz;
  return timing;
}

}  // namespace cutelab::profile
