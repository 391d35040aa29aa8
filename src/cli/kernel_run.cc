#include "cli/kernel_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/kernel_profile.h"
#include "compiled/cubin.h"
#include "evidence/metrics.h"
#include "kernel/build.h"
#include "profile/runner.h"

namespace cutelab::cli {
namespace {

using evidence::set_metric;
using evidence::set_missing;

const std::vector<std::string> timing_tags = {
    "duration_us", "duration_q1_us",   "duration_q3_us", "samples",      "bandwidth_tbs",
    "rate_tflops", "roofline_percent", "peak_percent",   "sm_clock_mhz", "power_w"};
const std::vector<std::string> compiled_tags = {
    "occupancy_percent", "registers", "smem_kb", "stack_bytes", "local_accesses", "barriers", "instructions"};
const std::string counters_not_asked = "needs hardware counters: --prof_type=annotation";

std::string one_line(const Error& error) { return replace_all(error.asked + ": " + error.wrong, "\n", " "); }

bool wants_time(const KernelRequest& request) {
  return request.prof_type != "disabled" && request.prof_type != "compiled";
}

/// Everything that one run needs; each step fills in what it can.
class KernelRun {
 public:
  KernelRun(const KernelRequest& request, device::Device& device, const KernelLoader& load,
            const Context& context)
      : request_(request), device_(device), load_(load), context_(context) {}

  Result<KernelOutcome> go() {
    auto kernel = request_.package.plan->plan(request_.params, request_.config);
    if (!kernel) return kernel.error();
    kernel_ = std::move(*kernel);
    begin();
    build();
    if (request_.prof_type != "disabled") inspect();
    if (wants_time(request_) && request_.prof_type != "annotation")
      for (const char* tag : {"tc_percent", "dram_percent"})
        set_missing(outcome_.run, tag, counters_not_asked);
    if (request_.check || wants_time(request_)) on_device();
    if (request_.prof_type == "ncu" || request_.prof_type == "nsys")
      missed(
          fmt::format("--prof_type={} is not in this version; event timing and roofline stand in its place",
                      request_.prof_type));
    return std::move(outcome_);
  }

 private:
  void missed(std::string reason) {
    outcome_.run.notes.push_back("not done: " + reason);
    outcome_.not_done.push_back(std::move(reason));
  }

  void begin();
  void build();
  void inspect();
  void record_compiled(const compiled::CompiledKernel& found);
  void on_device();
  Status architecture_fits(const device::DeviceInfo& info) const;
  Status check_and_time(device::Session& session);
  void without_device(const std::string& reason);

  const KernelRequest& request_;
  device::Device& device_;
  const KernelLoader& load_;
  const Context& context_;
  kernel::CuteKernel kernel_;
  std::optional<kernel::BuiltKernel> built_;
  std::string not_built_because_;
  KernelOutcome outcome_;
};

void KernelRun::begin() {
  evidence::Run& run = outcome_.run;
  run.kernel = request_.package.design;
  run.version = request_.package.version;
  run.language = request_.package.language;
  run.prof_type = request_.prof_type;
  run.provenance.arch = request_.package.architectures.front();
  run.provenance.tool_version = CUTELAB_VERSION;
  run.provenance.time_utc = context_.clock.utc_now();
  run.provenance.configuration = request_.params.texts();
  for (const auto& [name, value] : request_.config.values)
    run.provenance.configuration[name] = fmt::format("{}", value);
}

void KernelRun::build() {
  const auto toolchain = kernel::find_toolchain(context_.environment, context_.files, context_.source_root);
  const kernel::BuildRequest wanted{context_.files,       context_.environment,
                                    context_.source_root, request_.package.folder,
                                    kernel_.defines,      request_.package.architectures.front()};
  if (context_.err_is_terminal)
    context_.err << "compiling " << request_.package.title() << " …\r" << std::flush;
  auto built = kernel::build_kernel(wanted, toolchain);
  if (!built) {
    not_built_because_ = one_line(built.error());
    missed(not_built_because_ + (built.error().remedy.empty() ? "" : " (try: " + built.error().remedy + ")"));
    if (!built.error().where.empty()) outcome_.run.notes.push_back(built.error().where);
    return;
  }
  outcome_.run.provenance.compiler = built->compiler + ", CUTLASS " + built->cutlass;
  outcome_.run.provenance.source_hash = built->source_hash;
  outcome_.run.notes.push_back(fmt::format("{} by {}, CUTLASS {}; source hash {}",
                                           built->from_cache ? "taken from the cache, compiled" : "compiled",
                                           built->compiler, built->cutlass, built->source_hash));
  built_ = std::move(*built);
}

void KernelRun::inspect() {
  const auto fail = [&](const std::string& reason) {
    for (const std::string& tag : compiled_tags) set_missing(outcome_.run, tag, reason);
    if (request_.prof_type == "compiled") missed("the compiled profile: " + reason);
  };
  if (!built_) return fail("not compiled: " + not_built_because_);
  const auto tool = [&](const char* name) {
    return kernel::find_cuda_tool(context_.environment, context_.source_root, name);
  };
  const std::string cuobjdump = tool("cuobjdump");
  const std::string nvdisasm = tool("nvdisasm");
  if (cuobjdump.empty() || nvdisasm.empty())
    return fail("no cuobjdump and nvdisasm here: `cutelab setup cuda-tools`");
  auto found = compiled::inspect_binary(cuobjdump, nvdisasm.substr(0, nvdisasm.rfind('/')),
                                        context_.environment.get("PATH").value_or(""), built_->cubin);
  if (!found) return fail(one_line(found.error()));
  for (const auto& kernel : *found)
    if (kernel.mix.function.find(kernel_.device_function) != std::string::npos)
      return record_compiled(kernel);
  fail("the cubin holds no function named like " + kernel_.device_function);
}

void KernelRun::record_compiled(const compiled::CompiledKernel& found) {
  evidence::Run& run = outcome_.run;
  const auto& r = found.resources;
  const auto row = [&](const char* tag, const std::optional<int>& value, double scale = 1) {
    if (value)
      set_metric(run, tag, *value * scale);
    else
      set_missing(run, tag, "cuobjdump did not tell");
  };
  // The expected launch depends on the number of SMs only through a persistent grid; the block does not.
  const auto launch = kernel_.launch(132);
  const int threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  const int dynamic = static_cast<int>(launch.dynamic_smem_bytes);
  row("registers", r.registers);
  row("stack_bytes", r.stack_bytes);
  row("barriers", r.barriers);
  if (r.static_smem_bytes) set_metric(run, "smem_kb", (*r.static_smem_bytes + dynamic) / 1024.0);
  const auto arch = request_.package.architectures.front();
  const auto number =
      parse_integer(std::string_view(arch).substr(3, arch.find_first_not_of("0123456789", 3) - 3));
  if (number)
    set_metric(run, "occupancy_percent",
               compiled::occupancy_percent(r, threads, dynamic, static_cast<int>(*number / 10),
                                           static_cast<int>(*number % 10)));
  const auto opcodes = found.mix.by_opcode;
  const auto count = [&](const char* name) { return opcodes.count(name) ? opcodes.at(name) : 0; };
  set_metric(run, "local_accesses", count("LDL") + count("STL"));
  set_metric(run, "instructions", found.mix.total);
  std::vector<std::string> mix;
  for (const std::string& name : compiled::instruction_classes())
    if (const int n = found.mix.count(name); n > 0) mix.push_back(fmt::format("{} {}", name, n));
  run.notes.push_back(fmt::format("{} instruction mix: {}", found.mix.arch, join(mix, ", ")));
  run.notes.push_back("expected launch on 132 SMs: " + launch.text());
}

void KernelRun::without_device(const std::string& reason) {
  if (wants_time(request_)) {
    for (const std::string& tag : timing_tags) set_missing(outcome_.run, tag, reason);
    if (request_.prof_type == "annotation") without_counters(outcome_.run, reason);
    missed("event timing: " + reason);
  }
  if (request_.check) {
    outcome_.run.check.not_made_because = reason;
    missed("check: " + reason);
  }
}

Status KernelRun::architecture_fits(const device::DeviceInfo& info) const {
  const auto& all = request_.package.architectures;
  if (std::find(all.begin(), all.end(), info.arch()) != all.end()) return {};
  return Error{ErrorKind::unavailable, "run " + request_.package.title(),
               fmt::format("{} is {}, the package is compiled for {}, whose code runs on no other chip",
                           info.name, info.arch(), join(all, ", ")),
               "", "`cutelab list` shows what runs where"};
}

void KernelRun::on_device() {
  auto session = device_.open(request_.gpu);
  if (!session) return without_device(one_line(session.error()));
  const auto& info = (*session)->info();
  outcome_.run.provenance.device = info.name;
  outcome_.run.provenance.driver = device_.driver().version;
  if (auto fits = architecture_fits(info); !fits) return without_device(fits.error().wrong);
  if (!built_) return without_device("not compiled: " + not_built_because_);
  if (auto done = check_and_time(**session); !done) without_device(one_line(done.error()));
}

Status KernelRun::check_and_time(device::Session& session) {
  auto kernel = load_(built_->library);
  if (!kernel) return kernel.error();
  const auto& plan = *request_.package.plan;
  evidence::Run& run = outcome_.run;
  if (request_.check) {
    auto check = profile::check_kernel(session, plan, request_.params, request_.config, **kernel);
    if (!check) return check.error();
    profile::record_check(run, *check);
  }
  if (!wants_time(request_)) return {};
  auto timing = profile::time_kernel(session, plan, request_.params, request_.config, **kernel,
                                     request_.timing, context_.clock);
  if (!timing) return timing.error();
  auto facts = profile::load_device_facts(context_.files, context_.source_root + "/data/devices.json");
  if (!facts) run.notes.push_back(one_line(facts.error()));
  profile::record_timing(run, *timing, request_.timing, plan.algorithmic_flops_bytes(request_.params),
                         facts ? profile::find_facts(*facts, session.info().name) : nullptr);
  run.notes.push_back("launch: " + kernel_.launch(session.info().sms).text());
  if (request_.prof_type == "annotation")
    if (auto reason = profile_counters(run, request_, session, **kernel); !reason.empty())
      missed(std::move(reason));
  return {};
}

}  // namespace

KernelLoader dlopen_loader() {
  return [](const std::string& library) -> Result<std::unique_ptr<kernel::Launchable>> {
    auto loaded = kernel::LoadedKernel::load(library);
    if (!loaded) return loaded.error();
    return Result<std::unique_ptr<kernel::Launchable>>(
        std::make_unique<kernel::LoadedKernel>(std::move(*loaded)));
  };
}

Result<KernelOutcome> run_kernel(const KernelRequest& request, device::Device& device,
                                 const KernelLoader& load, const Context& context) {
  return KernelRun(request, device, load, context).go();
}

}  // namespace cutelab::cli
