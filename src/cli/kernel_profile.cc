#include "cli/kernel_profile.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/process.h"
#include "base/text.h"
#include "cli/kernel_build.h"
#include "evidence/metrics.h"
#include "kernel/toolchain.h"
#include "profile/kernel_counters.h"
#include "profile/ncu.h"
#include "profile/perfetto.h"
#include "profile/trust.h"

namespace cutelab::cli {
namespace fs = std::filesystem;
namespace {

std::string with_remedy(const Error& error) {
  return one_line(error) + (error.remedy.empty() ? "" : " (try: " + error.remedy + ")");
}

/// This program again, launching the kernel a few times and measuring nothing, in one process.
std::vector<std::string> launch_command(const KernelRequest& request) {
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  std::vector<std::string> words = {self.string(), "kernel", request.package.design, request.package.version};
  for (const auto& [name, value] : request.params.texts())
    words.push_back(fmt::format("--{}={}", name, value));
  std::vector<std::string> values;
  for (const auto& [name, value] : request.config.values) values.push_back(fmt::format("{}={}", name, value));
  if (!values.empty()) words.push_back("--config=" + join(values, ","));
  words.insert(words.end(), request.export_flags.begin(), request.export_flags.end());
  const char* l2 = request.timing.l2 == profile::L2State::warm    ? "warm"
                   : request.timing.l2 == profile::L2State::dirty ? "dirty"
                                                                  : "cold";
  words.push_back("--fill=" + kernel::word_of(request.timing.fill));
  words.insert(words.end(), {"--prof_type=launch", "--no-store", "--time-limit=0", std::string("--l2=") + l2,
                             fmt::format("--gpu={}", request.gpu)});
  return words;
}

const std::vector<std::string> ncu_launch_metrics = {
    "launch__registers_per_thread", "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic", "sm__maximum_warps_per_active_cycle_pct"};

/// What ncu says of the launch takes the place of what the cubin promised.
void record_launch(evidence::Run& run, const std::map<std::string, double>& said) {
  const auto value = [&](const char* name) {
    const auto it = said.find(name);
    return it == said.end() ? std::optional<double>() : std::optional<double>(it->second);
  };
  if (const auto registers = value("launch__registers_per_thread"))
    evidence::set_metric(run, "registers", *registers);
  const auto fixed = value("launch__shared_mem_per_block_static");
  const auto dynamic = value("launch__shared_mem_per_block_dynamic");
  if (fixed && dynamic) evidence::set_metric(run, "smem_kb", (*fixed + *dynamic) / 1024);
  if (const auto most = value("sm__maximum_warps_per_active_cycle_pct"))
    evidence::set_metric(run, "occupancy_percent", *most);
}

Result<device::CounterReading> run_ncu(const profile::NcuRequest& request) {
  constexpr double limit_seconds = 900;
  auto profiled = run_process({profile::ncu_profile_command(request), "", {}, limit_seconds});
  if (!profiled) return profiled.error();
  if (profiled->timed_out)
    return Error{ErrorKind::unavailable, "profile with ncu", "ncu was stopped after 15 minutes", "", ""};
  if (!profiled->succeeded() || !fs::exists(request.report))
    return profile::ncu_error(profiled->out + "\n" + profiled->err);
  auto printed = run_process({profile::ncu_import_command(request), "", {}, limit_seconds});
  if (!printed) return printed.error();
  if (!printed->succeeded()) return profile::ncu_error(printed->out + "\n" + printed->err);
  return profile::read_ncu_report(printed->out);
}

}  // namespace

std::string profile_counters(evidence::Run& run, const KernelRequest& request, device::Session& session,
                             const kernel::Launchable& kernel) {
  auto reading = profile::count_kernel(session, *request.package.plan, request.params, request.config, kernel,
                                       request.timing);
  if (!reading) {
    without_counters(run, one_line(reading.error()));
    return "counters: " + with_remedy(reading.error());
  }
  profile::record_counters(run, *reading);
  run.notes.push_back(
      fmt::format("counters of {}: medians over three times {} passes, inputs and L2 set anew for each",
                  reading->chip, reading->passes));
  profile::doubt_clock(run, session.info().max_sm_clock_mhz);
  return "";
}

std::string profile_timeline(evidence::Run& run, const KernelRequest& request, device::Session& session,
                             const kernel::Launchable& kernel, const Context& context) {
  auto spans = session.trace([&] {
    return profile::launch_kernel(session, *request.package.plan, request.params, request.config, kernel,
                                  request.timing);
  });
  if (!spans) return "timeline: " + with_remedy(spans.error());
  const std::string file = report_path(run, request, context) + ".perfetto.json";
  if (auto s = write_file_atomically(file, profile::perfetto_json(*spans, request.package.title())); !s)
    return "timeline: " + with_remedy(s.error());
  run.notes.push_back("timeline: " + profile::timeline_summary(*spans));
  run.notes.push_back("timeline kept: " + file + " (open it at ui.perfetto.dev)");
  return "";
}

std::string profile_ncu(evidence::Run& run, const KernelRequest& request, const std::string& device_function,
                        const Context& context) {
  const auto fail = [&](const Error& error) {
    without_counters(run, one_line(error));
    return "counters by ncu: " + with_remedy(error);
  };
  profile::NcuRequest ncu;
  ncu.ncu = kernel::find_cuda_tool(context.environment, context.source_root, "ncu");
  if (ncu.ncu.empty())
    return fail({ErrorKind::unavailable, "find ncu", "it is neither on PATH nor in a CUDA folder", "",
                 "install Nsight Compute, or --prof_type=annotation, which needs only CUPTI"});
  ncu.report = report_path(run, request, context) + ".ncu-rep";
  ncu.device_function = device_function;
  ncu.l2 = request.timing.l2;
  ncu.metrics = profile::counter_names();
  ncu.metrics.insert(ncu.metrics.end(), ncu_launch_metrics.begin(), ncu_launch_metrics.end());
  ncu.command = launch_command(request);
  run.notes.push_back("ncu command: " + shell_line(profile::ncu_profile_command(ncu)));
  auto reading = run_ncu(ncu);
  if (!reading) return fail(reading.error());
  profile::record_counters(run, *reading);
  record_launch(run, reading->kernels.front());
  run.notes.push_back("counters by ncu: medians over three launches; report kept: " + ncu.report);
  return "";
}

Result<report::Roofline> roofline_of(const evidence::Run& run, const KernelRequest& request,
                                     const Context& context) {
  auto all = profile::load_device_facts(context.files, context.source_root + "/data/devices.json");
  if (!all) return all.error();
  const auto* facts = profile::find_facts(*all, run.provenance.device);
  if (!facts)
    return Error{ErrorKind::unavailable, "draw the roofline",
                 run.provenance.device.empty()
                     ? "the run has no device"
                     : "data/devices.json has no rates for " + run.provenance.device,
                 "", "`cutelab device --measure` finds them; add them to data/devices.json"};
  const auto work = request.package.plan->algorithmic_flops_bytes(request.params);
  report::Roofline drawn;
  drawn.title = request.package.title() + " on " + run.provenance.device + ", " + request.params.text();
  drawn.bytes = static_cast<double>(work.compulsory.count());
  if (facts->dram_peak)
    drawn.memory.push_back({"DRAM peak", facts->dram_peak->per_second, facts->dram_peak->source});
  if (facts->dram_measured)
    drawn.memory.push_back({"DRAM measured", facts->dram_measured->per_second, facts->dram_measured->source});
  for (const auto& [unit, flops] : work.flops) {
    drawn.flops += flops;
    if (const auto it = facts->flops.find(unit); it != facts->flops.end())
      drawn.arithmetic.push_back({unit + " peak", it->second.per_second, it->second.source});
    if (const auto it = facts->flops_measured.find(unit); it != facts->flops_measured.end())
      drawn.arithmetic.push_back({unit + " measured", it->second.per_second, it->second.source});
  }
  if (const auto* time = evidence::metric_of(run, "duration_us"); time && time->value)
    drawn.seconds = *time->value * 1e-6;
  return drawn;
}

std::string report_path(const evidence::Run& run, const KernelRequest& request, const Context& context) {
  const std::string folder = context.environment.data_home() + "/reports";
  std::error_code code;  // the writer says what is wrong with the folder
  fs::create_directories(folder, code);
  return fmt::format("{}/{}-{}-{}", folder, request.package.design, request.package.version,
                     replace_all(run.provenance.time_utc, ":", ""));
}

void without_counters(evidence::Run& run, const std::string& reason) {
  profile::record_no_counters(run, reason);
}

std::vector<std::string> cupti_paths(const Environment& environment, const std::string& source_root) {
  const std::string name = "libcupti.so.13";
  std::vector<std::string> paths;
  if (const auto named = environment.get("CUTELAB_CUPTI")) paths.push_back(*named);
  paths.push_back(source_root + "/build/deps/cupti/lib/" + name);
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto folder = environment.get(variable)) toolkits.push_back(*folder);
  toolkits.emplace_back("/usr/local/cuda");
  for (const std::string& toolkit : toolkits)
    for (const char* below : {"/extras/CUPTI/lib64/", "/lib64/"}) paths.push_back(toolkit + below + name);
  paths.push_back(name);
  return paths;
}

}  // namespace cutelab::cli
