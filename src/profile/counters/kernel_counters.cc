#include "profile/kernel_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "evidence/metrics.h"
#include "profile/counter_median.h"
#include "profile/l2_state.h"
#include "profile/runner.h"

namespace cutelab::profile {
namespace {

constexpr char prefix[] = "cupti:";
constexpr char time_metric[] = "gpu__time_duration.sum";

/// CUPTI's name behind the descriptor; empty if the row comes from elsewhere.
std::string counter_of(const evidence::MetricDescriptor& descriptor) {
  return descriptor.source.rfind(prefix, 0) == 0 ? descriptor.source.substr(sizeof prefix - 1) : "";
}

double time_of(const std::map<std::string, double>& kernel) {
  const auto it = kernel.find(time_metric);
  return it == kernel.end() ? 0 : it->second;
}

}  // namespace

device::CounterReading median_of(const std::vector<device::CounterReading>& readings) {
  device::CounterReading median = readings.front();
  for (std::size_t k = 0; k < median.kernels.size(); ++k) {
    for (auto& [metric, value] : median.kernels[k]) {
      std::vector<double> values;
      for (const auto& reading : readings) {
        if (k >= reading.kernels.size()) continue;
        const auto it = reading.kernels[k].find(metric);
        if (it != reading.kernels[k].end()) values.push_back(it->second);
      }
      value = summarize(std::move(values)).median;
    }
  }
  return median;
}

std::vector<std::string> counter_names() {
  std::vector<std::string> names;
  for (const auto& descriptor : evidence::metric_descriptors())
    if (auto name = counter_of(descriptor); !name.empty()) names.push_back(std::move(name));
  return names;
}

Result<device::CounterReading> count_kernel(device::Session& session, const kernel::KernelPlan& plan,
                                            const kernel::Params& params, const kernel::Config& config,
                                            const kernel::Launchable& launchable, const TimingSpec& spec) {
  auto problem = BoundProblem::bind(session, plan, params, config, spec.fill, 1);
  if (!problem) return problem.error();
  auto cache = CacheSetter::make(session);
  if (!cache) return cache.error();
  const auto launch = [&] { return problem->launch(session, launchable); };
  if (auto s = launch(); !s) return s.error();  // module load and first-launch work stay out of the passes
  const L2State l2 = spec.l2;
  device::CountedWork work;
  work.before = [&]() -> Status {
    if (auto s = problem->restore(session); !s) return s;
    return l2 == L2State::dirty ? cache->set(l2) : Status();
  };
  if (l2 == L2State::cold) {
    work.ahead = [&] { return cache->set(l2); };
    work.ahead_kernels = 1;  // the sweep
  } else if (l2 == L2State::warm) {
    work.ahead = launch;
    work.ahead_kernels = -1;
  }
  work.launch = [&] {
    const device::AnnotatedRange range(session, "cutelab counted launch");
    return launch();
  };
  constexpr int repeats = 3;
  std::vector<device::CounterReading> readings;
  while (readings.size() < repeats) {
    auto reading = session.count(counter_names(), work);
    if (!reading) return reading.error();
    readings.push_back(std::move(*reading));
  }
  return median_of(readings);
}

Status launch_kernel(device::Session& session, const kernel::KernelPlan& plan, const kernel::Params& params,
                     const kernel::Config& config, const kernel::Launchable& launchable,
                     const TimingSpec& spec) {
  constexpr int launches = 4;
  auto problem = BoundProblem::bind(session, plan, params, config, spec.fill, 1);
  if (!problem) return problem.error();
  auto cache = CacheSetter::make(session);
  if (!cache) return cache.error();
  for (int n = 0; n < launches; ++n) {
    if (auto s = cache->set(spec.l2); !s) return s;
    const device::AnnotatedRange range(session, "cutelab launch");
    if (auto s = problem->launch(session, launchable); !s) return s;
  }
  return session.synchronize();
}

void record_counters(evidence::Run& run, const device::CounterReading& reading) {
  const auto& kernels = reading.kernels;
  const auto longest = std::max_element(kernels.begin(), kernels.end(),
                                        [](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
  if (longest == kernels.end()) return record_no_counters(run, "no kernel was counted");
  for (const auto& descriptor : evidence::metric_descriptors()) {
    const std::string name = counter_of(descriptor);
    if (name.empty()) continue;
    const auto it = longest->find(name);
    if (it == longest->end())
      evidence::set_missing(run, descriptor.tag, fmt::format("{} has no counter {}", reading.chip, name));
    else if (!std::isfinite(it->second))
      evidence::set_missing(run, descriptor.tag, "CUPTI gave no number: nothing of the kind happened");
    else
      evidence::set_metric(run, descriptor.tag, it->second * descriptor.scale);
  }
  if (kernels.size() < 2) return;
  double all = 0;
  for (const auto& kernel : kernels) all += time_of(kernel);
  run.notes.push_back(
      fmt::format("a launch runs {} kernels; counters are of the longest, {:.1f} % of their time",
                  kernels.size(), all > 0 ? time_of(*longest) / all * 100 : 0));
}

void record_no_counters(evidence::Run& run, const std::string& because) {
  for (const auto& descriptor : evidence::metric_descriptors())
    if (!counter_of(descriptor).empty()) evidence::set_missing(run, descriptor.tag, because);
}

}  // namespace cutelab::profile
