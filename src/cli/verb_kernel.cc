#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/process.h"
#include "base/text.h"
#include "cli/exports.h"
#include "cli/kernel_arch.h"
#include "cli/kernel_build.h"
#include "cli/kernel_choice.h"
#include "cli/kernel_flags.h"
#include "cli/kernel_profile.h"
#include "cli/kernel_run.h"
#include "cli/kernel_sweep_flags.h"
#include "cli/kernel_tune.h"
#include "cli/numbers.h"
#include "cli/verbs.h"
#include "evidence/json.h"
#include "profile/compile_history.h"
#include "profile/outcome.h"
#include "profile/store.h"
#include "render/table.h"
#include "report/run_view.h"

namespace cutelab::cli {
namespace {

std::string rerun_command(const KernelRequest& request, const std::string& arch, const Context& context) {
  std::vector<std::string> words = {context.program, "kernel", request.package.design,
                                    request.package.version};
  for (const auto& [name, value] : request.params.texts())
    words.push_back(fmt::format("--{}={}", name, value));
  if (!request.config.values.empty()) words.push_back("--config=" + config_text(request.config));
  words.push_back("--prof_type=" + request.prof_type);
  if (request.timing.l2 != profile::L2State::cold)
    words.emplace_back(request.timing.l2 == profile::L2State::warm ? "--l2=warm" : "--l2=dirty");
  if (request.timing.fill != kernel::Fill::uniform)
    words.push_back("--fill=" + kernel::word_of(request.timing.fill));
  if (request.check) words.emplace_back("--check");
  if (!arch.empty()) words.push_back("--arch=" + arch);
  words.insert(words.end(), request.export_flags.begin(), request.export_flags.end());
  return shell_line(words);
}

class KernelVerb final : public Verb {
 public:
  VerbSpec spec() const override;
  Result<ExitCode> run(const Arguments& arguments, Context& context) const override;

 private:
  static Result<KernelRequest> request_of(const Arguments& arguments, kernel::Package package,
                                          kernel::Params params);
  /// --autotune: tunes and says how. --config=tuned: puts what is kept into the request.
  static Result<ExitCode> tuned(KernelRequest& request, const Arguments& arguments, Context& context);
  /// --roofline. What cannot be drawn is added to what was not done.
  static Status draw(KernelOutcome& outcome, const KernelRequest& request, const Arguments& arguments,
                     Context& context);
  static Status keep(const evidence::Run& run, const Arguments& arguments, Context& context);
};

/// How an imported kernel is exported.
std::vector<Flag> export_flags() {
  return {{"--dsl-version",
           "VERSION",
           "an imported kernel: export it with this published version of the CuTe DSL",
           "the one that its checkout pins, else part dsl",
           false,
           {}},
          {"--line-info",
           "",
           "an imported kernel: export it with a line table, so that profilers show its source; another "
           "compilation, with a cache key of its own",
           "",
           false,
           {}}};
}

/// How a launch is timed, and where.
std::vector<Flag> device_flags() {
  return {
      {"--arch",
       "SM",
       "compile for this one of the package's architectures, not for its first",
       "",
       false,
       {}},
      {"--l2", "STATE", "what L2 holds when a timed launch starts", "cold", false, {"cold", "dirty", "warm"}},
      {"--fill", "KIND", "what the inputs hold while it is timed and counted; zeros run faster than data",
       "uniform", false, kernel::fill_words()},
      {"--graph",
       "USE",
       "replay timed launches as a CUDA graph; auto: when the kernel is shorter than 20 us",
       "auto",
       false,
       {"auto", "on", "off"}},
      {"--gpu", "N", "which GPU", "0", false, {}},
      {"--time-limit",
       "SECONDS",
       "a step on the GPU that lasts longer is ended, with its process; 0 = no limit, no process of its own",
       "120",
       false,
       {}}};
}

VerbSpec KernelVerb::spec() const {
  VerbSpec spec;
  spec.name = "kernel";
  spec.summary = "check and measure a kernel package";
  spec.step = "4 PROFILE";
  spec.positionals = {{"DESIGN", "a kernel package; `cutelab list` shows all", 1, 1},
                      {"VERSION", "v0 is the base version", 0, 1}};
  spec.flags = {
      {"--check",
       "",
       "compare with the double-precision reference: three fills, ragged problems",
       "",
       false,
       {}},
      {"--prof_type",
       "TYPE",
       "what to measure",
       "event",
       false,
       {"disabled", "event", "compiled", "annotation", "ncu", "nsys", "timeline", "launch"}},
      {"--config",
       "CONFIG",
       "a number of --dry-run's list, name=value,… to change the preferred one, or tuned: what --autotune "
       "kept",
       "",
       false,
       {}},
      {"--autotune",
       "",
       "time every legal configuration, the best again in the same rounds; keep the choice",
       "",
       false,
       {}},
      {"--finalists", "N", "with --autotune: so many are timed again", "4", false, {}},
      output_flag("--json", "write the run as JSON; - is standard output"),
      output_flag("--roofline",
                  "draw the run under the roofs of its device: FILE.svg, or - for the terminal"),
      {"--dry-run", "", "show parameters, work, configurations and launch; run nothing", "", false, {}},
      {"--build", "", "compile only", "", false, {}},
      {"--for",
       "GPU",
       "whether it would run on that GPU (B200, RTX 5090, sm_103a …); asks none",
       "",
       false,
       {}},
      {"--no-store", "", "do not keep the run (`cutelab runs`)", "", false, {}},
      {"--store", "FILE", "keep runs in this file", "", false, {}}};
  for (const auto& more : {export_flags(), device_flags(), sweep_flags()})
    spec.flags.insert(spec.flags.end(), more.begin(), more.end());
  spec.open_flags = true;
  spec.examples = {"cutelab kernel rmsnorm --b=8192 --h=8192 --check --prof_type=event",
                   "cutelab kernel rmsnorm --prof_type=compiled        # needs no GPU",
                   "cutelab kernel rmsnorm --h=1000 --dry-run",
                   "cutelab kernel rmsnorm --b=1024:65536:x2 --h=4096,8192 --csv rmsnorm.csv   # a sweep"};
  return spec;
}

/// --arch: puts one of the package's architectures first. Errors (kind usage): it has no such one.
Status take_arch(kernel::Package& package, const std::string& arch) {
  auto& all = package.architectures;
  if (arch.empty()) return {};
  const auto found = std::find(all.begin(), all.end(), arch);
  if (found == all.end())
    return Error{ErrorKind::usage, "kernel " + package.design, "it is not compiled for '" + arch + "'", "",
                 "take one of " + join(all, ", ")};
  std::rotate(all.begin(), found, found + 1);
  return {};
}

Result<KernelRequest> KernelVerb::request_of(const Arguments& arguments, kernel::Package package,
                                             kernel::Params params) {
  const std::string wanted = arguments.get("--config");
  auto config = choose_config(package, params, wanted == "tuned" ? "" : wanted);
  if (!config) return config.error();
  KernelRequest request{std::move(package),
                        std::move(params),
                        std::move(*config),
                        arguments.get("--prof_type", "event"),
                        arguments.has("--check"),
                        0,
                        {}};
  const auto gpu = gpu_number(arguments.get("--gpu", "0"), "kernel", "--gpu");
  if (!gpu) return gpu.error();
  request.gpu = *gpu;
  const auto limit = bounded_number(arguments, "kernel", "--time-limit", 120, 0, most_seconds);
  if (!limit) return limit.error();
  request.time_limit_seconds = *limit;
  const std::string l2 = arguments.get("--l2", "cold");
  request.timing.l2 = l2 == "warm"    ? profile::L2State::warm
                      : l2 == "dirty" ? profile::L2State::dirty
                                      : profile::L2State::cold;
  const std::string graph = arguments.get("--graph", "auto");
  request.timing.graph = graph == "on"    ? profile::GraphUse::on
                         : graph == "off" ? profile::GraphUse::off
                                          : profile::GraphUse::automatic;
  request.timing.fill = kernel::fill_of(arguments.get("--fill", "uniform"));
  if (arguments.has("--build")) request.prof_type = "disabled";
  auto given = given_export_flags(arguments, request.package);
  if (!given) return given.error();
  request.export_flags = std::move(*given);
  return request;
}

Result<ExitCode> KernelVerb::tuned(KernelRequest& request, const Arguments& arguments, Context& context) {
  const auto finalists = bounded_number(arguments, "kernel", "--finalists", 4, 1, 64);
  if (!finalists) return finalists.error();
  TuneRequest wanted{request, *finalists, {}, arguments.has("--again"), store_file(arguments, context)};
  wanted.spec.timing = request.timing;
  const auto device = device::machine_device();
  if (!arguments.has("--autotune")) {
    auto config = tuned_config(wanted, *device, context);
    if (!config) return config.error();
    request.config = std::move(*config);
    return ExitCode::ok;
  }
  auto outcome = tune_kernel(wanted, *device, package_loader(context), context);
  if (!outcome) return outcome.error();
  context.out << as_called(tune_report(*outcome, context.table_width()), context);
  if (!outcome->best.values.empty()) {
    request.config = kernel::Config{outcome->best.values, ""};
    context.out << "run it: " << rerun_command(request, arguments.get("--arch"), context) << "\n";
    return ExitCode::ok;
  }
  return outcome->outcome.kind == "done" ? ExitCode::failed_check : profile::exit_code_of(outcome->outcome);
}

Status KernelVerb::keep(const evidence::Run& run, const Arguments& arguments, Context& context) {
  const std::string file = arguments.get("--json");
  if (file == "-") context.out << evidence::json_text(run) << "\n";
  if (!file.empty() && file != "-")
    if (auto s = write_file_atomically(file, evidence::json_text(run) + "\n"); !s) return s;
  if (arguments.has("--no-store") || arguments.has("--build")) return {};
  auto store = profile::Store::open(store_file(arguments, context));
  if (!store) return store.error();
  auto id = store->add(run);
  if (!id) return id.error();
  if (file != "-")
    context.out << fmt::format("kept as run {}: `{} runs show {}`\n", *id, context.program, *id);
  return {};
}

/// What could not be done, what has the same reason in one line; where a person has just read the reasons in
/// the report, only what it was.
std::string not_done_text(const std::vector<std::string>& not_done, bool reasons_were_read) {
  std::vector<std::string> all;
  std::vector<std::pair<std::string, std::string>> lines;  // a reason, and what it kept from being done
  for (const std::string& text : not_done) {
    const auto colon = std::min(text.find(": "), text.size());
    const std::string what = text.substr(0, colon), reason = text.substr(colon);
    all.push_back(what);
    const auto same =
        std::find_if(lines.begin(), lines.end(), [&](auto& line) { return line.first == reason; });
    if (same == lines.end())
      lines.emplace_back(reason, what);
    else
      same->second += ", " + what;
  }
  if (reasons_were_read && !all.empty()) return "not done: " + join(all, ", ") + " (the report says why)\n";
  std::string out;
  for (const auto& [reason, what] : lines) out += "not done: " + what + reason + "\n";
  return out;
}

/// What the compiler made otherwise than the last other one of which a run is kept, as the run's first note.
void note_last_compile(evidence::Run& run, const Arguments& arguments, const Context& context) {
  const std::string file = store_file(arguments, context);
  if (!context.files.status(file)) return;
  auto store = profile::Store::open(file);
  auto change = store ? profile::since_last_compile(run, *store)
                      : Result<std::optional<profile::CompileChange>>(store.error());
  if (!change) run.notes.push_back("not compared with earlier compilations: " + one_line(change.error()));
  if (change && *change) run.notes.insert(run.notes.begin(), "compiled: " + (*change)->text);
}

Status KernelVerb::draw(KernelOutcome& outcome, const KernelRequest& request, const Arguments& arguments,
                        Context& context) {
  const std::string file = arguments.get("--roofline");
  if (file.empty()) return {};
  auto roofline = roofline_of(outcome.run, request, context);
  if (!roofline) {
    outcome.not_done.push_back(one_line(roofline.error()));
    return {};
  }
  if (file != "-") return write_file_atomically(file, report::roofline_svg(*roofline));
  context.out << report::roofline_text(*roofline);
  return {};
}

Result<ExitCode> KernelVerb::run(const Arguments& arguments, Context& context) const {
  if (auto s = check_kernel_flags(arguments); !s) return s.error();  // before any program is run
  const auto& words = arguments.positionals();
  ExportSettings exported;
  exported.dsl_version = arguments.get("--dsl-version");
  exported.line_table = arguments.has("--line-info");
  exported.only_kept = arguments.has("--dry-run") || arguments.has("--for");
  auto package =
      kernel::find_package(every_package(context, exported), words[0], words.size() > 1 ? words[1] : "");
  if (!package) return package.error();
  if (auto s = take_arch(*package, arguments.get("--arch")); !s) return s.error();
  auto sweep = kernel::parse_sweep(words[0], *package->plan, arguments.open());
  if (!sweep) return sweep.error();
  if (auto s = check_sweep_flags(arguments, !sweep->varying.empty()); !s) return s.error();
  auto request = request_of(arguments, std::move(*package), sweep->problems[0]);
  if (!request) return request.error();
  if (!sweep->varying.empty())
    return sweep_kernel(std::move(*request), std::move(*sweep), arguments, context);
  if (arguments.get("--config") == "tuned")
    if (const auto code = tuned(*request, arguments, context); !code) return code;
  if (arguments.has("--for")) return check_for_gpu(request->package, arguments.get("--for"), context);
  if (arguments.has("--dry-run")) {
    print_plan(*request, context);
    context.out << "again: " << rerun_command(*request, arguments.get("--arch"), context) << "\n";
    return ExitCode::ok;
  }
  if (arguments.has("--store"))  // what is measured must not be lost in the end
    if (auto store = profile::Store::open(arguments.get("--store")); !store) return store.error();
  if (arguments.has("--autotune")) return tuned(*request, arguments, context);
  request->command = rerun_command(*request, arguments.get("--arch"), context);
  const auto device = device::machine_device(cupti_paths(context.environment, context.source_root));
  auto outcome = run_kernel(*request, *device, package_loader(context), context);
  if (!outcome) return outcome.error();
  note_last_compile(outcome->run, arguments, context);
  if (arguments.get("--json") != "-")
    context.out << as_called(report::run_report(outcome->run, context.table_width()), context)
                << "again: " << request->command << "\n";
  if (auto s = draw(*outcome, *request, arguments, context); !s) return s.error();
  if (auto s = keep(outcome->run, arguments, context); !s) return s.error();
  const bool reasons_were_read = arguments.get("--json") != "-" && context.out_is_terminal;
  context.err << not_done_text(outcome->not_done, reasons_were_read);
  if (const auto code = profile::exit_code_of(outcome->run.outcome); code == ExitCode::kernel_fault)
    return code;
  if (outcome->run.check.made && !outcome->run.check.passed) return ExitCode::failed_check;
  return outcome->not_done.empty() ? ExitCode::ok : ExitCode::unavailable;
}

}  // namespace

std::unique_ptr<Verb> make_kernel_verb() { return std::make_unique<KernelVerb>(); }

}  // namespace cutelab::cli
