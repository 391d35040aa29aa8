#include "evidence/metrics.h"

#include <algorithm>
#include <utility>

namespace cutelab::evidence {

namespace {

/// Why warps did not issue, as shares of the cycles that warps were resident: with "selected" (the warp that
/// issues) the shares close to 100 %.
const std::vector<MetricDescriptor>& stall_descriptors() {
  static const std::vector<MetricDescriptor> all = [] {
    const std::pair<const char*, const char*> reasons[] = {
        {"selected", "issued an instruction"},
        {"not_selected", "ready, another warp was taken"},
        {"long_scoreboard", "waits for global or local memory, or texture"},
        {"short_scoreboard", "waits for shared memory or a special function"},
        {"barrier", "waits at a CTA or named barrier"},
        {"gmma", "waits for warpgroup MMA operands"},
        {"wait", "fixed latency of the instruction before"},
        {"math_pipe_throttle", "its arithmetic pipe is busy"},
        {"mio_throttle", "the shared-memory and special-function queue is full"},
        {"lg_throttle", "the global and local memory queue is full"},
        {"tex_throttle", "the texture queue is full"},
        {"membar", "waits at a memory fence"},
        {"no_instruction", "instruction cache miss"},
        {"imc_miss", "constant cache miss"},
        {"branch_resolving", "waits for a branch"},
        {"dispatch_stall", "the dispatcher held it back"},
        {"drain", "ended, waits for its stores"},
        {"sleeping", "nanosleep"},
        {"misc", "other"}};
    std::vector<MetricDescriptor> made;
    for (const auto& [reason, meaning] : reasons)
      made.push_back({std::string("stall_") + reason, std::string("Warps: ") + reason + " (%)", "%",
                      std::string("warp state: ") + meaning,
                      std::string("cupti:smsp__warp_issue_stalled_") + reason + "_per_warp_active.pct"});
    return made;
  }();
  return all;
}

std::vector<MetricDescriptor> counter_descriptors() {
  return {{"counter_duration_us", "Kernel time by counters (us)", "us",
           "first to last cycle of the kernel, without launch", "cupti:gpu__time_duration.sum", 1e-3},
          {"counter_clock_mhz", "SM clock while counting (MHz)", "MHz", "SM cycles over the kernel's time",
           "cupti:sm__cycles_elapsed.avg.per_second", 1e-6},
          {"sm_percent", "SM%", "%", "busiest unit of the SMs, of its peak",
           "cupti:sm__throughput.avg.pct_of_peak_sustained_elapsed"},
          {"l1_percent", "L1%", "%", "L1 and shared memory, of their peak",
           "cupti:l1tex__throughput.avg.pct_of_peak_sustained_active"},
          {"l2_percent", "L2%", "%", "L2 cache, of its peak",
           "cupti:lts__throughput.avg.pct_of_peak_sustained_elapsed"},
          {"dram_read_mb", "DRAM read (MB)", "MB", "10^6 bytes", "cupti:dram__bytes_read.sum", 1e-6},
          {"dram_write_mb", "DRAM written (MB)", "MB", "10^6 bytes", "cupti:dram__bytes_write.sum", 1e-6},
          {"l2_hit_percent", "L2 hits (%)", "%", "of sector lookups", "cupti:lts__t_sector_hit_rate.pct"},
          {"l1_hit_percent", "L1 hits (%)", "%", "of sector lookups", "cupti:l1tex__t_sector_hit_rate.pct"},
          {"achieved_occupancy_percent", "Occupancy achieved (%)", "%",
           "resident warps while an SM was busy, of the most",
           "cupti:sm__warps_active.avg.pct_of_peak_sustained_active"},
          {"issue_percent", "Issue slots used (%)", "%", "cycles in which a scheduler issued",
           "cupti:smsp__issue_active.avg.pct_of_peak_sustained_active"},
          {"ipc", "Instructions per cycle", "", "per SM, while it was busy",
           "cupti:sm__inst_executed.avg.per_cycle_active"},
          {"warp_instructions", "Warp instructions executed", "", "", "cupti:smsp__inst_executed.sum"},
          {"tensor_instructions", "Tensor instructions executed", "", "warp instructions of the tensor pipe",
           "cupti:sm__inst_executed_pipe_tensor.sum"},
          {"bank_conflicts_load", "Bank conflicts, loads", "", "extra cycles of shared-memory loads",
           "cupti:l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
          {"bank_conflicts_store", "Bank conflicts, stores", "", "extra cycles of shared-memory stores",
           "cupti:l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}};
}

std::vector<MetricDescriptor> joined(std::vector<MetricDescriptor> all,
                                     const std::vector<std::vector<MetricDescriptor>>& more) {
  for (const auto& part : more) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

const std::vector<MetricDescriptor>& metric_descriptors() {
  static const std::vector<MetricDescriptor> all = joined(
      {{"duration_us", "Duration (us)", "us", "median time of one launch", "cuda-event"},
       {"tc_percent", "TC%", "%", "cycles with the tensor pipe busy, of the kernel's",
        "cupti:sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
       {"dram_percent", "DRAM%", "%", "device memory traffic, of its peak",
        "cupti:dram__throughput.avg.pct_of_peak_sustained_elapsed"},
       {"occupancy_percent", "Occupancy (%)", "%",
        "resident warps of an SM that the launch allows, of the most", "computed"},
       {"registers", "Registers/thread", "", "32-bit registers of a thread", "cubin"},
       {"smem_kb", "SMEM/block (KB)", "KB", "static and dynamic shared memory of a block", "cubin"},
       {"duration_q1_us", "Duration, first quartile (us)", "us", "a quarter of the launches were faster",
        "cuda-event"},
       {"duration_q3_us", "Duration, third quartile (us)", "us", "a quarter of the launches were slower",
        "cuda-event"},
       {"samples", "Launches timed", "", "how many launches the quartiles come from", "cuda-event"},
       {"bandwidth_tbs", "Effective bandwidth (TB/s)", "TB/s", "compulsory bytes over the median",
        "computed"},
       {"rate_tflops", "Effective rate (TFLOP/s)", "TFLOP/s", "algorithmic flops over the median",
        "computed"},
       {"roofline_percent", "Of measured roofline (%)", "%",
        "least time at measured ceilings over the median", "computed"},
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
       {"instructions", "Instructions", "", "instructions of the kernel, padding left out", "cubin"}},
      {counter_descriptors(), stall_descriptors()});
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
