#include "cli/kernel_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/isolated.h"
#include "base/text.h"
#include "cli/kernel_arch.h"
#include "cli/kernel_build.h"
#include "cli/kernel_predicted.h"
#include "cli/kernel_profile.h"
#include "cli/kernel_roles.h"
#include "device/code_arch.h"
#include "evidence/json.h"
#include "evidence/metrics.h"
#include "kernel/libraries.h"
#include "kernel/loaded_tile.h"
#include "profile/kernel_counters.h"
#include "profile/outcome.h"
#include "profile/runner.h"

namespace cutelab::cli {
namespace {

using evidence::set_missing;

constexpr const char* device_start = "start of the device";  // a phase
const std::vector<std::string> timing_tags = {
    "duration_us", "duration_q1_us",   "duration_q3_us", "samples",      "bandwidth_tbs",
    "rate_tflops", "roofline_percent", "peak_percent",   "sm_clock_mhz", "power_w"};
const std::string counters_not_asked = "needs hardware counters: --prof_type=annotation";

bool wants_time(const KernelRequest& request) {
  return request.prof_type != "disabled" && request.prof_type != "compiled" && request.prof_type != "launch";
}

bool wants_counters(const KernelRequest& request) {
  return request.prof_type == "annotation" || request.prof_type == "ncu";
}

bool wants_device(const KernelRequest& request) {
  return request.check || wants_time(request) || request.prof_type == "launch";
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
    if (request_.prof_type == "timeline") stamped_ = build_stamped(request_.package, kernel_, context_);
    if (wants_time(request_) && !wants_counters(request_))
      for (const char* tag : {"tc_percent", "dram_percent"})
        set_missing(outcome_.run, tag, counters_not_asked);
    if (wants_device(request_)) request_.time_limit_seconds > 0 ? on_device_apart() : on_device();
    if (request_.prof_type == "ncu" && ran_on_device())
      if (auto reason = profile_ncu(outcome_.run, request_, kernel_.device_function, context_);
          !reason.empty())
        missed(std::move(reason));
    return std::move(outcome_);
  }

 private:
  void missed(std::string reason) {
    outcome_.run.notes.push_back("not done: " + reason);
    outcome_.not_done.push_back(std::move(reason));
  }

  /// A GPU was opened and nothing went wrong there.
  bool ran_on_device() const { return outcome_.not_done.empty() && !outcome_.run.provenance.device.empty(); }

  void begin();
  void build();
  void inspect();
  void on_device();
  void on_device_apart();
  void hear(const std::string& message);
  void tell() const;
  void failed(evidence::Run::Outcome outcome);
  void ask_whether_the_device_is_there();
  void device_lost(std::string note);
  Status architecture_fits(const device::DeviceInfo& info) const;
  std::unique_ptr<kernel::Launchable> load_operators();
  Status check_and_time(device::Session& session);
  void without_device(const std::string& reason);

  const KernelRequest& request_;
  device::Device& device_;
  const KernelLoader& load_;
  const Context& context_;
  kernel::CuteKernel kernel_;
  PackageBuild build_;
  PackageBuild operators_;  ///< kernels/reference, for a check of large problems
  PackageBuild stamped_;    ///< for --prof_type=timeline: the same kernel, compiled to stamp its roles
  KernelOutcome outcome_;
  profile::Progress progress_;
  const Isolated* parent_ = nullptr;  ///< set in the child process
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
  run.provenance.command = request_.command;
  run.provenance.configuration = request_.params.texts();
  run.notes.insert(run.notes.end(), kernel_.remarks.begin(), kernel_.remarks.end());
  for (const auto& [name, value] : request_.config.values)
    run.provenance.configuration[name] = fmt::format("{}", value);
}

void KernelRun::build() {
  build_ = build_package(request_.package, kernel_, context_);
  if (request_.check &&
      profile::wants_device_reference(*request_.package.plan, request_.params, request_.config)) {
    operators_ = build_operators(request_.package.architectures.front(), context_);
    if (!operators_.built)
      outcome_.run.notes.push_back("the host computes every reference: " + operators_.not_built_because);
  }
  if (build_.built) return record_build(outcome_.run, *build_.built, kernel_, context_);
  missed(not_built_text(build_));
  if (!build_.where.empty()) outcome_.run.notes.push_back(build_.where);
}

void KernelRun::inspect() {
  const auto reason = inspect_package(outcome_.run, request_.package, kernel_, build_, context_);
  if (request_.prof_type != "compiled") return;
  if (!reason.empty()) missed("the compiled profile: " + reason);
  const auto* imported = dynamic_cast<const kernel::ImportedPlan*>(request_.package.plan.get());
  if (imported == nullptr) return;
  auto note = predicted_against_recorded(*imported, request_.params, request_.config, kernel_, context_);
  if (!note.empty()) outcome_.run.notes.push_back(std::move(note));
}

void KernelRun::without_device(const std::string& reason) {
  if (wants_time(request_)) {
    for (const std::string& tag : timing_tags)
      if (const auto* row = evidence::metric_of(outcome_.run, tag); !row || !row->value)
        set_missing(outcome_.run, tag, reason);
    if (wants_counters(request_)) without_counters(outcome_.run, reason);
    missed("event timing: " + reason);
  } else if (request_.prof_type == "launch") {
    missed("launch: " + reason);
  }
  if (request_.check && !outcome_.run.check.made) {
    outcome_.run.check.not_made_because = reason;
    missed("check: " + reason);
  }
}

void KernelRun::failed(evidence::Run::Outcome outcome) {
  without_device(outcome.reason);
  outcome_.run.outcome = std::move(outcome);
}

/// The child's side: the run as it stands, in a form that hear() takes.
void KernelRun::tell() const {
  if (!parent_) return;
  parent_->tell("run" + evidence::json_text(outcome_.run));
  for (const std::string& reason : outcome_.not_done) parent_->tell("not" + reason);
}

void KernelRun::hear(const std::string& message) {
  if (message.rfind("not", 0) == 0) return outcome_.not_done.push_back(message.substr(3));
  auto run = evidence::run_from_json(message.substr(3));
  if (!run) return;  // the same program wrote it
  outcome_.run = std::move(*run);
  outcome_.not_done.clear();
}

void KernelRun::on_device_apart() {
  context_.out.flush();  // or the child could write it a second time
  auto end = run_isolated(
      [this](const Isolated& parent) {
        parent_ = &parent;
        progress_ = [&](const std::string& what, bool limited) { parent.phase(what, limited); };
        progress_(device_start, true);
        on_device();
        tell();
      },
      request_.time_limit_seconds, [this](const std::string& message) { hear(message); });
  if (!end) return failed(profile::outcome_of(end.error()));
  if (auto outcome = profile::outcome_of(*end); outcome.kind != "done") failed(std::move(outcome));
  const std::string& kind = outcome_.run.outcome.kind;
  const bool driver_hangs = end && end->how == IsolatedEnd::How::time_limit && end->phase == device_start;
  if (driver_hangs) return device_lost("the driver did not answer");
  if (kind == "kernel-fault" || kind == "time-limit" || kind == "crashed") ask_whether_the_device_is_there();
}

/// A GPU that has left the machine looks like a kernel's fault at first: a fresh process asks it. That takes
/// seconds where the driver answers at all.
void KernelRun::ask_whether_the_device_is_there() {
  std::string gone = "the driver does not answer";
  auto end = run_isolated(
      [this](const Isolated& parent) {
        parent.phase("question whether the GPU is there", true);
        auto session = device_.open(request_.gpu);
        parent.tell(session ? "" : one_line(session.error()));
      },
      std::min(request_.time_limit_seconds, 20.0), [&](const std::string& message) { gone = message; });
  if (end && !gone.empty()) device_lost("after that the GPU could not be opened again: " + gone);
}

void KernelRun::device_lost(std::string note) {
  outcome_.run.outcome.kind = "device-lost";
  outcome_.run.notes.push_back(std::move(note));
}

Status KernelRun::architecture_fits(const device::DeviceInfo& info) const {
  return device::runs_on(compiled_for(request_.package, kernel_), info);
}

void KernelRun::on_device() {
  if (const std::string open = request_.package.plan->cannot_run_because(); !open.empty())
    return without_device(open);
  auto session = device_.open(request_.gpu);
  if (!session) return failed(profile::outcome_of(session.error()));
  const auto& info = (*session)->info();
  outcome_.run.provenance.device = info.name;
  outcome_.run.provenance.driver = device_.driver().version;
  if (auto fits = architecture_fits(info); !fits) {
    outcome_.run.notes.push_back("what needs no such GPU: --prof_type=compiled; " + fits.error().remedy);
    if (auto needed = needed_by_source(request_.package, context_); !needed.empty())
      outcome_.run.notes.push_back(std::move(needed));
    return without_device(fits.error().wrong);
  }
  if (!build_.built) return without_device("not compiled: " + build_.not_built_because);
  if (!build_.built->not_linked_because.empty())
    return without_device("not linked: " + build_.built->not_linked_because);
  if (auto done = check_and_time(**session); !done) failed(profile::outcome_of(done.error()));
}

std::unique_ptr<kernel::Launchable> KernelRun::load_operators() {
  if (!operators_.built) return nullptr;
  auto loaded = load_(operators_.built->library);
  if (loaded) return std::move(*loaded);
  outcome_.run.notes.push_back("the host computes every reference: " + one_line(loaded.error()));
  return nullptr;
}

Status KernelRun::check_and_time(device::Session& session) {
  auto kernel = load_(build_.built->library);
  if (!kernel) return kernel.error();
  const auto& plan = *request_.package.plan;
  evidence::Run& run = outcome_.run;
  if (request_.check) {
    auto operators = load_operators();
    auto check = profile::check_kernel(session, plan, request_.params, request_.config, **kernel, progress_,
                                       operators.get());
    if (!check) return check.error();
    profile::record_check(run, *check);
    tell();
  }
  if (request_.prof_type == "launch")
    return profile::launch_kernel(session, plan, request_.params, request_.config, **kernel, request_.timing);
  if (!wants_time(request_)) return {};
  auto timing = profile::time_kernel(session, plan, request_.params, request_.config, **kernel,
                                     request_.timing, context_.clock, progress_);
  if (!timing) return timing.error();
  auto facts = profile::load_device_facts(context_.files, context_.source_root + "/data/devices.json");
  if (!facts) run.notes.push_back(one_line(facts.error()));
  profile::record_timing(run, *timing, request_.timing, plan.algorithmic_flops_bytes(request_.params),
                         facts ? profile::find_facts(*facts, session.info().name) : nullptr);
  run.notes.push_back("launch: " + kernel_.launch(session.info().sms).text());
  if (request_.prof_type == "nsys") {
    tell();
    if (progress_) progress_("timeline", true);
    if (auto reason = profile_timeline(run, request_, session, **kernel, context_); !reason.empty())
      missed(std::move(reason));
  }
  if (request_.prof_type == "timeline") {
    tell();
    if (progress_) progress_("role timeline", true);
    if (auto reason = profile_roles(run, request_, session, load_, stamped_, context_); !reason.empty())
      missed(std::move(reason));
  }
  if (request_.prof_type == "annotation") {
    tell();
    if (progress_) progress_("counters", true);
    if (auto reason = profile_counters(run, request_, session, **kernel); !reason.empty())
      missed(std::move(reason));
  }
  return {};
}

}  // namespace

KernelLoader dlopen_loader(std::vector<std::string> library_folders) {
  return [folders = std::move(library_folders)](
             const std::string& library) -> Result<std::unique_ptr<kernel::Launchable>> {
    if (library.ends_with("/kernel.json")) {
      auto loaded = kernel::LoadedTile::load(library);
      if (!loaded) return loaded.error();
      return Result<std::unique_ptr<kernel::Launchable>>(std::move(*loaded));
    }
    auto loaded = kernel::LoadedKernel::load(library, folders);
    if (!loaded) return loaded.error();
    return Result<std::unique_ptr<kernel::Launchable>>(
        std::make_unique<kernel::LoadedKernel>(std::move(*loaded)));
  };
}

KernelLoader package_loader(const Context& context) {
  return dlopen_loader(kernel::library_folders(context.environment, context.source_root));
}

Result<KernelOutcome> run_kernel(const KernelRequest& request, device::Device& device,
                                 const KernelLoader& load, const Context& context) {
  return KernelRun(request, device, load, context).go();
}

}  // namespace cutelab::cli
