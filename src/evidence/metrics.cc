#include "evidence/metrics.h"

#include <algorithm>

namespace cutelab::evidence {

const std::vector<MetricDescriptor>& metric_descriptors() {
  static const std::vector<MetricDescriptor> all = {
      {"duration_us", "Duration (us)", "us", "median time of one launch", "cuda-event"},
      {"tc_percent", "TC%", "%", "tensor pipe active, of its peak", "cupti"},
      {"dram_percent", "DRAM%", "%", "device memory traffic, of its peak", "cupti"},
      {"occupancy_percent", "Occupancy (%)", "%",
       "resident warps of an SM that the launch allows, of the most", "computed"},
      {"registers", "Registers/thread", "", "32-bit registers of a thread", "cubin"},
      {"smem_kb", "SMEM/block (KB)", "KB", "static and dynamic shared memory of a block", "cubin"},
      {"duration_q1_us", "Duration, first quartile (us)", "us", "a quarter of the launches were faster",
       "cuda-event"},
      {"duration_q3_us", "Duration, third quartile (us)", "us", "a quarter of the launches were slower",
       "cuda-event"},
      {"samples", "Launches timed", "", "how many launches the quartiles come from", "cuda-event"},
      {"bandwidth_tbs", "Effective bandwidth (TB/s)", "TB/s", "compulsory bytes over the median", "computed"},
      {"rate_tflops", "Effective rate (TFLOP/s)", "TFLOP/s", "algorithmic flops over the median", "computed"},
      {"roofline_percent", "Of measured roofline (%)", "%", "least time at measured ceilings over the median",
       "computed"},
      {"peak_percent", "Of datasheet roofline (%)", "%", "least time at datasheet peaks over the median",
       "computed"},
      {"sm_clock_mhz", "SM clock (MHz)", "MHz", "median during the timing", "nvml"},
      {"memory_clock_mhz", "Memory clock (MHz)", "MHz", "median during the timing", "nvml"},
      {"power_w", "Power (W)", "W", "median during the timing", "nvml"},
      {"temperature_c", "Temperature (C)", "C", "median during the timing", "nvml"},
      {"stack_bytes", "Stack (B/thread)", "B", "local memory of a thread: arrays and spills", "cubin"},
      {"local_accesses", "Local loads and stores", "",
       "LDL and STL instructions: spills, or arrays indexed at run time", "cubin"},
      {"barriers", "Named barriers", "", "hardware barriers of a block", "cubin"},
      {"instructions", "Instructions", "", "instructions of the kernel, padding left out", "cubin"}};
  return all;
}

const MetricDescriptor* find_metric(const std::string& tag) {
  const auto& all = metric_descriptors();
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.tag == tag; });
  return it == all.end() ? nullptr : &*it;
}

const Metric* metric_of(const Run& run, const std::string& tag) {
  const auto it =
      std::find_if(run.metrics.begin(), run.metrics.end(), [&](const auto& m) { return m.tag == tag; });
  return it == run.metrics.end() ? nullptr : &*it;
}

namespace {
Metric& row(Run& run, const std::string& tag) {
  for (Metric& metric : run.metrics)
    if (metric.tag == tag) return metric;
  run.metrics.push_back({tag, std::nullopt, ""});
  return run.metrics.back();
}
}  // namespace

void set_metric(Run& run, const std::string& tag, double value) {
  Metric& metric = row(run, tag);
  metric.value = value;
  metric.missing_because.clear();
}

void set_missing(Run& run, const std::string& tag, std::string because) {
  Metric& metric = row(run, tag);
  metric.value.reset();
  metric.missing_because = std::move(because);
}

}  // namespace cutelab::evidence
