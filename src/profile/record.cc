#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "evidence/metrics.h"
#include "profile/runner.h"
#include "profile/trust.h"

namespace cutelab::profile {

using evidence::set_metric;
using evidence::set_missing;

void record_check(evidence::Run& run, const CheckResult& check) {
  run.check.made = true;
  run.check.passed = check.passed();
  run.check.tolerance = check.tolerance.relative_norm;
  run.check.tolerance_reason = check.tolerance.reason;
  if (!check.operators_text.empty())
    run.notes.push_back(
        fmt::format("reference operators of the device: {} of {} outputs; against the host's on {}",
                    check.on_device, check.lines.size(), check.operators_text));
  const CheckLine* worst = check.worst();
  if (!worst) return;
  run.check.relative_error = worst->report.relative_norm;
  run.check.worst = worst->report.worst;
  run.notes.push_back(fmt::format("check: {} of {} problems passed; {} ({}, fill {}, seed {})",
                                  std::count_if(check.lines.begin(), check.lines.end(),
                                                [](const auto& line) { return line.report.passed; }),
                                  check.lines.size(), worst->report.text, worst->problem, worst->fill,
                                  worst->seed));
}

namespace {

void record_state(evidence::Run& run, const Timing& timing) {
  const auto row = [&](const char* tag, const std::optional<double>& value) {
    if (value)
      set_metric(run, tag, *value);
    else
      set_missing(run, tag, "NVML did not tell");
  };
  row("sm_clock_mhz", timing.state.sm_clock_mhz);
  row("memory_clock_mhz", timing.state.memory_clock_mhz);
  row("power_w", timing.state.power_w);
  row("temperature_c", timing.state.temperature_c);
  const std::vector<std::string> reasons(timing.throttle_reasons.begin(), timing.throttle_reasons.end());
  run.notes.push_back(reasons.empty() ? "no throttling was reported during the timing"
                                      : "throttled during the timing: " + join(reasons, ", "));
  const double median = timing.state.sm_clock_mhz.value_or(0);
  if (timing.least_sm_clock_mhz > 0 && timing.least_sm_clock_mhz < 0.95 * median)
    run.notes.push_back(fmt::format("the SM clock moved: least {:.0f} MHz, median {:.0f} MHz",
                                    timing.least_sm_clock_mhz, median));
}

void record_rates(evidence::Run& run, double median_us, const kernel::Work& work) {
  set_metric(run, "bandwidth_tbs", static_cast<double>(work.compulsory.count()) / median_us * 1e-6);
  double flops = 0;
  for (const auto& [unit, count] : work.flops) flops += count;
  set_metric(run, "rate_tflops", flops / median_us * 1e-6);
}

}  // namespace

void record_timing(evidence::Run& run, const Timing& timing, const TimingSpec& spec, const kernel::Work& work,
                   const DeviceFacts* facts) {
  const Summary& s = timing.summary;
  run.samples_us = timing.samples_us;
  run.notes.push_back(
      fmt::format("L2 {}; inputs {}; {} launches in {:.2f} s{}, stopped because {}; median "
                  "known to {:.2f} %; "
                  "two events with nothing between take {:.2f} us",
                  text_of(spec.l2), kernel::name_of(spec.fill), s.count, timing.seconds,
                  timing.graph ? " replayed as a CUDA graph" : "", text_of(timing.stopped),
                  s.median_error * 100, timing.two_events_us));
  if (timing.host_launch_us > 0)
    run.notes.push_back(fmt::format("the host takes {:.2f} us to enqueue a launch, which is in no time here",
                                    timing.host_launch_us));
  if (!timing.graph_refused_because.empty())
    run.notes.push_back("no CUDA graph: " + timing.graph_refused_because);
  set_metric(run, "samples", s.count);
  record_state(run, timing);
  const auto peak = facts ? peak_floor(*facts, work) : std::nullopt;
  run.trust = judge({timing, spec, peak, run.check});
  const bool impossible = peak && spec.l2 != L2State::warm && s.median < peak->time().count();
  if (impossible) {
    const auto reason = fmt::format("rejected: {:.2f} us is below the floor of {:.2f} us ({} at {})",
                                    s.median, peak->time().count(), peak->bound, peak->rate_source());
    for (const char* tag : {"duration_us", "duration_q1_us", "duration_q3_us", "bandwidth_tbs", "rate_tflops",
                            "roofline_percent", "peak_percent"})
      set_missing(run, tag, reason);
    return;
  }
  set_metric(run, "duration_us", s.median);
  set_metric(run, "duration_q1_us", s.first_quartile);
  set_metric(run, "duration_q3_us", s.third_quartile);
  record_rates(run, s.median, work);
  const auto ceiling = facts ? ceiling_floor(*facts, work) : std::nullopt;
  if (!peak || !ceiling) {
    for (const char* tag : {"roofline_percent", "peak_percent"})
      set_missing(run, tag, "data/devices.json has no rates for this device");
    return;
  }
  set_metric(run, "roofline_percent", ceiling->time().count() / s.median * 100);
  set_metric(run, "peak_percent", peak->time().count() / s.median * 100);
  run.notes.push_back(fmt::format("roofline: {}-bound; measured {:.2f} us ({}), datasheet {:.2f} us ({}); {}",
                                  ceiling->bound, ceiling->time().count(), ceiling->rate_source(),
                                  peak->time().count(), peak->rate_source(), work.formula));
}

}  // namespace cutelab::profile
