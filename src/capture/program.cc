#include "capture/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file_lock.h"
#include "base/scratch_folder.h"
#include "base/sha256.h"
#include "base/text.h"
#include "capture/capture_json.h"

namespace cutelab::capture {
namespace {
namespace fs = std::filesystem;
using Document = nlohmann::json;

constexpr std::uint64_t most_event_bytes = 64u << 20;
constexpr std::uint64_t most_module_bytes = 256u << 20;

std::string text_of(const FileSource& files, const std::string& path) {
  auto text = files.read(path, most_event_bytes);
  return text ? *text : std::string();
}

std::string torch_name(Torch torch) {
  switch (torch) {
    case Torch::automatic:
      return "auto";
    case Torch::stand_in:
      return "stand-in";
    case Torch::real:
      return "real";
  }
  return "";
}

/// Everything but the helpers' content: they are known only after a run, so a kept capture names them with
/// their digests.
std::string key_of(const Request& request, const Toolchain& toolchain, const std::string& source,
                   const std::string& harness_digest) {
  Document parts = {request.program,           sha256(source),    request.flags,         request.arch,
                    torch_name(request.torch), toolchain.python,  toolchain.dsl_version, harness_digest,
                    request.keep_modules,      request.keep_code, request.export_call};
  if (request.line_table) parts.push_back("line table");
  return sha256(parts.dump(-1, ' ', false, Document::error_handler_t::replace)).substr(0, 32);
}

std::string harness_digest(const Toolchain& toolchain, const FileSource& files) {
  std::vector<std::string> unreadable;
  std::string all = toolchain.recorder;
  if (auto names = files.list(toolchain.harness, &unreadable))
    for (const std::string& name : *names)
      if (name.ends_with(".py") || name.ends_with(".c"))
        all += name.substr(toolchain.harness.size()) + sha256(text_of(files, name));
  return sha256(all);
}

bool unchanged(const Capture& kept, const FileSource& files) {
  for (const SourceFile& source : kept.sources) {
    auto text = files.read(source.path, max_source_bytes);
    if (!text || sha256(*text) != source.sha256) return false;
  }
  std::error_code failed;
  for (const auto* kept_files : {&kept.modules, &kept.device_code})
    for (const std::string& file : *kept_files)
      if (!fs::exists(file, failed)) return false;
  if (!kept.exported.empty() && !fs::exists(kept.exported + "/export.json", failed)) return false;
  return !kept.sources.empty();
}

/// What another run would end like: not a limit, a crash or a module that may be installed by then.
bool worth_keeping(const Capture& capture) {
  return !capture.sources.empty() && (capture.ended == Ended::returned || capture.ended == Ended::exited ||
                                      capture.ended == Ended::raised);
}

/// Architectures to try for a program that was refused its guessed one: what the DSL named, then the fuller
/// and newer ones. None where the architecture is not what it failed for.
std::vector<std::string> other_archs(const Capture& capture) {
  const std::string& reason = capture.reason;
  const auto says = [&](std::string_view words) { return reason.find(words) != std::string::npos; };
  if (capture.recorded() || capture.ended != Ended::raised ||
      !(says("expects arch") || says("NVVM backend compilation failed") || says("compute capability") ||
        says("CUDA GPU")))
    return {};
  std::vector<std::string> found;
  constexpr std::string_view list = "expects arch to be one of [";
  if (const auto at = reason.find(list); at != std::string::npos)
    if (const auto begin = reason.find("sm_", at); begin != std::string::npos)
      found.push_back(reason.substr(begin, reason.find_first_of(",]", begin) - begin));
  bool newer = false;
  for (const char* arch : {"sm_80", "sm_90", "sm_90a", "sm_100a", "sm_120a"}) {
    if (newer && std::string_view(arch) != "sm_90" &&
        std::find(found.begin(), found.end(), arch) == found.end())
      found.emplace_back(arch);
    newer = newer || capture.arch == arch;
  }
  return found;
}

std::string signal_reason(int signal_number) {
  const char* name = sigabbrev_np(signal_number);
  return fmt::format("signal {}{}", signal_number, name != nullptr ? fmt::format(" (SIG{})", name) : "");
}

/// How the run ended, from what the process did and what the harness wrote.
void set_ending(const Supervised& run, const Document& outcome, const Limits& limits, Capture& capture) {
  const auto text = [&](const char* name) {
    const auto it = outcome.find(name);
    return it != outcome.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  capture.reason = text("reason");
  capture.at = text("at");
  switch (run.ending) {
    case Ending::time_limit:
      capture.ended = Ended::time_limit;
      capture.reason = fmt::format("still running after {:.0f} s", limits.seconds);
      return;
    case Ending::memory_limit:
      capture.ended = Ended::memory_limit;
      capture.reason =
          fmt::format("more than {} resident", human_bytes(static_cast<long long>(limits.memory_bytes)));
      return;
    case Ending::output_limit:
      capture.ended = Ended::output_limit;
      capture.reason =
          fmt::format("more than {} printed", human_bytes(static_cast<long long>(limits.output_bytes)));
      return;
    case Ending::process_limit:
      capture.ended = Ended::process_limit;
      capture.reason = fmt::format("more than {} processes at once", limits.processes);
      return;
    case Ending::signalled:
      capture.ended = Ended::crashed;
      capture.reason = signal_reason(run.signal);
      return;
    case Ending::exited:
      break;
  }
  const std::string ended = text("ended");
  if (ended == "returned") capture.ended = Ended::returned;
  if (ended == "exited") capture.ended = Ended::exited;
  if (ended == "raised")
    capture.ended = outcome.contains("missing_module") ? Ended::missing_module : Ended::raised;
  if (ended == "not prepared") capture.reason = "the stand-in device could not be set up: " + capture.reason;
  if (ended == "running" || ended == "in preparation" || ended.empty()) {
    capture.ended = Ended::vanished;
    capture.reason = fmt::format("the process ended with status {} without leaving main{}", run.exit_code,
                                 ended.empty() ? ", before the program began" : "");
  }
}

void set_sources(const Document& outcome, Capture& capture) {
  const auto sources = outcome.find("sources");
  if (sources == outcome.end() || !sources->is_array()) return;
  for (const Document& source : *sources)
    if (source.is_object() && source.contains("path") && source.contains("sha256"))
      capture.sources.push_back({source["path"].get<std::string>(), source["sha256"].get<std::string>()});
}

Status keep_file(const std::string& made, const std::string& kept) {
  std::error_code failed;
  fs::copy_file(made, kept, fs::copy_options::overwrite_existing, failed);
  if (!failed) return {};
  return Error{ErrorKind::unavailable, "keep what the compiler was given", failed.message(), kept,
               "make room there, or set CUTELAB_CACHE to another folder"};
}

/// The cubins "module_<i>….cubin" of the run's folder; the compiler puts the architecture into their names.
Status keep_device_code(const std::string& folder, int module, const std::string& kept_stem,
                        Capture& capture) {
  const std::string begin = fmt::format("module_{}.", module);
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(begin) && name.ends_with(".cubin"))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string kept = fmt::format("{}.{}.{}.cubin", kept_stem, module, i);
    if (auto status = keep_file(folder + "/" + names[i], kept); !status) return status;
    capture.device_code.push_back(kept);
  }
  return {};
}

/// Takes the modules that the harness wrote out of the run's folder, to where the capture is kept.
Status keep_modules(const std::string& folder, const std::string& kept_stem, Capture& capture) {
  for (int i = 0;; ++i) {
    const std::string made = fmt::format("{}/module_{}.mlir", folder, i);
    std::error_code failed;
    if (!fs::exists(made, failed)) return {};
    const std::string kept = fmt::format("{}.{}.mlir", kept_stem, i);
    if (auto status = keep_file(made, kept); !status) return status;
    capture.modules.push_back(kept);
    if (auto status = keep_device_code(folder, i, kept_stem, capture); !status) return status;
  }
}

/// Takes the export that the harness wrote out of the run's folder.
Status keep_export(const std::string& folder, const std::string& kept_folder, Capture& capture) {
  std::error_code failed;
  fs::remove_all(kept_folder, failed);
  fs::create_directories(kept_folder, failed);
  for (const char* name :
       {"kernel.o", "kernel.h", "kernel.cubin", "kernel.fatbin", "kernel.mlir", "export.json"})
    if (const std::string made = fmt::format("{}/{}", folder, name); fs::exists(made, failed))
      if (auto status = keep_file(made, fmt::format("{}/{}", kept_folder, name)); !status) return status;
  capture.exported = kept_folder;
  return {};
}

/// Which module defines the kernel of each launch: symbols are spelled out there.
void find_modules(const FileSource& files, Capture& capture) {
  for (std::size_t i = 0; i < capture.modules.size(); ++i) {
    auto text = files.read(capture.modules[i], most_module_bytes);
    if (!text) continue;
    for (Launch& launch : capture.launches)
      if (launch.module < 0 && !launch.symbol.empty() && text->find(launch.symbol) != std::string::npos)
        launch.module = static_cast<int>(i);
  }
}

/// What the child looks imports up in beside its own environment.
std::string with_packages(const std::string& packages) {
  const char* others = std::getenv("PYTHONPATH");
  return others == nullptr || *others == 0 ? packages : packages + ":" + others;
}

/// How one attempt is made.
struct How {
  Torch torch = Torch::automatic;
  int call_chain = 0;  ///< frames of each location in the intermediate form; 0: the harness's own number
};

Result<Capture> run_once(const Request& request, const Toolchain& toolchain, const FileSource& files,
                         const How& how, const std::string& kept_stem, bool* has_torch = nullptr) {
  const ScratchFolder folder("capture");
  const std::string work = folder.path() + "/cwd";
  std::error_code failed;
  if (folder.path().empty() || !fs::create_directory(work, failed))
    return Error{ErrorKind::unavailable, "capture " + request.program, "no temporary folder can be made",
                 fs::temp_directory_path().string(), "set TMPDIR to a folder that can be written"};
  const Document asked = {{"program", request.program},     {"flags", request.flags},
                          {"arch", request.arch},           {"out", folder.path()},
                          {"recorder", toolchain.recorder}, {"torch", torch_name(how.torch)},
                          {"ir", request.keep_modules},     {"call_chain", how.call_chain},
                          {"code", request.keep_code},      {"export", request.export_call}};
  const std::string request_file = folder.path() + "/request.json";
  if (auto status =
          write_file_atomically(request_file, asked.dump(-1, ' ', false, Document::error_handler_t::replace));
      !status)
    return status.error();
  ProcessSpec spec;
  spec.argv = {toolchain.python, "-u", toolchain.harness + "/run_program.py", request_file};
  spec.folder = work;
  spec.scratch = {folder.path()};
  // A temporary folder of its own: packages keep compiled kernels there, and would launch those of an earlier
  // run.
  spec.extra = {
      {"PYTHONDONTWRITEBYTECODE", "1"}, {"PYTHONHASHSEED", "0"}, {"PYTHONNOUSERSITE", "1"}, {"TMPDIR", work}};
  if (request.line_table) spec.extra["CUTE_DSL_LINEINFO"] = "1";
  if (!toolchain.packages.empty()) spec.extra["PYTHONPATH"] = with_packages(toolchain.packages);
  auto run = run_supervised(spec, request.limits);
  if (!run) return run.error();
  Capture capture;
  capture.program = request.program;
  capture.flags = request.flags;
  capture.arch = request.arch;
  capture.dsl_version = toolchain.dsl_version;
  capture.seconds = run->seconds;
  capture.peak_bytes = run->peak_bytes;
  Document outcome = Document::parse(text_of(files, folder.path() + "/outcome.json"), nullptr, false);
  if (!outcome.is_object()) outcome = Document::object();
  capture.torch = outcome.value("torch", "");
  if (has_torch != nullptr) *has_torch = outcome.value("torch_is_installed", true);
  set_ending(*run, outcome, request.limits, capture);
  set_sources(outcome, capture);
  add_events(text_of(files, folder.path() + "/events.jsonl"),
             text_of(files, folder.path() + "/kernels.jsonl"), capture);
  if (request.keep_modules && !kept_stem.empty())
    if (auto status = keep_modules(folder.path(), kept_stem, capture); !status) return status.error();
  if (request.export_call && !kept_stem.empty())
    if (auto status = keep_export(folder.path(), kept_stem + ".export", capture); !status)
      return status.error();
  find_modules(files, capture);
  if (!capture.recorded() || capture.ended != Ended::returned)
    capture.output = run->output.substr(run->output.size() > 4000 ? run->output.size() - 4000 : 0);
  return capture;
}

/// A program that was killed told nothing of its sources: its own is known.
void add_own_source(const std::string& program, const std::string& source, Capture& capture) {
  if (capture.sources.empty()) capture.sources.push_back({program, sha256(source)});
}

/// Some locations that name a chain of calls crash the compiler; with the user's line alone it does not.
Result<Capture> run_whole(const Request& request, const Toolchain& toolchain, const FileSource& files,
                          Torch torch, const std::string& kept_stem, bool* has_torch = nullptr) {
  auto made = run_once(request, toolchain, files, {torch, 0}, kept_stem, has_torch);
  if (!made || !request.keep_modules || made->ended != Ended::crashed || made->modules.empty()) return made;
  auto again = run_once(request, toolchain, files, {torch, 1}, kept_stem);
  return again && again->ended != Ended::crashed ? again : made;
}

Result<Capture> made_now(const Request& request, const Toolchain& toolchain, const FileSource& files,
                         const std::string& kept_stem) {
  bool has_torch = true;
  auto made = run_whole(request, toolchain, files, request.torch, kept_stem, &has_torch);
  if (made && request.torch == Torch::automatic && has_torch && made->wants_torch()) {
    auto again = run_whole(request, toolchain, files, Torch::real, kept_stem);
    if (again && again->torch == "torch") return again;
  }
  return made;
}

/// Torch was installed after it was made, and may serve where the stand-in did not.
bool torch_came_since(const Capture& kept, const Request& request, const Toolchain& toolchain) {
  return request.torch == Torch::automatic && !toolchain.packages.empty() && kept.wants_torch();
}

/// The kept capture, or a new one that is then kept.
Result<Capture> kept_or_made(const Request& request, const Toolchain& toolchain, const FileSource& files,
                             const std::string& source) {
  if (request.cache.empty()) return made_now(request, toolchain, files, "");
  const std::string kept_stem =
      request.cache + "/" + key_of(request, toolchain, source, harness_digest(toolchain, files));
  const std::string kept_file = kept_stem + ".json";
  auto lock = FileLock::take(kept_file + ".lock");
  if (!lock) return lock.error();
  if (auto text = files.read(kept_file, most_event_bytes); text && !request.fresh) {
    auto kept = capture_from_json(*text);
    const bool more_time =
        kept && kept->ended == Ended::time_limit && request.limits.seconds > kept->seconds + 1;
    if (kept && unchanged(*kept, files) && (request.keep_failures || worth_keeping(*kept)) && !more_time &&
        !torch_came_since(*kept, request, toolchain)) {
      kept->kept = true;
      return kept;
    }
  }
  auto made = made_now(request, toolchain, files, kept_stem);
  if (!made) return made;
  if (request.keep_failures) add_own_source(request.program, source, *made);
  if (request.keep_failures || worth_keeping(*made))
    if (auto status = write_file_atomically(kept_file, to_json(*made)); !status) return status.error();
  return made;
}

}  // namespace

bool is_architecture(const std::string& text) {
  constexpr std::size_t before = 3;  // "sm_"
  if (!text.starts_with("sm_") || text.size() < before + 2) return false;
  const bool suffix = text.back() == 'a' || text.back() == 'f';
  const std::string digits = text.substr(before, text.size() - before - (suffix ? 1 : 0));
  return (digits.size() == 2 || digits.size() == 3) && digits[0] != '0' &&
         digits.find_first_not_of("0123456789") == std::string::npos;
}

Result<Capture> capture(const Request& asked, const Toolchain& toolchain, const FileSource& files) {
  auto source = read_source(files, asked.program);
  if (!source) return source.error();
  Request request = asked;
  std::error_code failed;
  if (const auto real = fs::canonical(asked.program, failed); !failed) request.program = real.string();
  auto made = kept_or_made(request, toolchain, files, *source);
  if (!made || !request.arch_is_guess) return made;
  for (const std::string& arch : other_archs(*made)) {
    request.arch = arch;
    auto again = kept_or_made(request, toolchain, files, *source);
    if (!again || again->recorded()) return again;
  }
  return made;
}

}  // namespace cutelab::capture
