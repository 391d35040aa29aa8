#include "cli/exports.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "base/file_lock.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/captures.h"
#include "cli/host_exports.h"
#include "cli/import_recipe.h"
#include "cli/kept_exports.h"
#include "cli/parts.h"
#include "cli/progress.h"

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;
using RecordJson = nlohmann::json;

constexpr std::string_view checkout_prefix = "$CUTLASS_DIR/";

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != ".." && *relative.begin() != ".";
}

fs::path real(const std::string& path) {
  std::error_code failed;
  const auto found = fs::weakly_canonical(path, failed);
  return failed ? fs::path(path).lexically_normal() : found;
}

/// Last line of what the program printed; argparse puts its complaint there.
std::string last_line(const std::string& output) {
  std::string found;
  for (const auto line : split(output, '\n'))
    if (!trim(line).empty()) found = std::string(trim(line));
  return printable(found);
}

constexpr std::string_view unknown_architecture = "UnknownArchitecture: ";  // run_program.py

bool is_unknown_architecture(const capture::Capture& made) {
  return made.reason.starts_with(unknown_architecture);
}

/// Why a program's run gave no export.
Error no_export(const kernel::ExportWanted& wanted, const capture::Capture& made,
                const kernel::ExportedCall& call) {
  std::vector<std::string> words = {wanted.program};
  words.insert(words.end(), wanted.flags.begin(), wanted.flags.end());
  Error error{ErrorKind::input, "export " + join(words, " "), "", made.at,
              "`cutelab capture` shows how the program runs"};
  switch (made.ended) {
    case capture::Ended::raised:
      error.kind = ErrorKind::usage;
      error.wrong = is_unknown_architecture(made) ? printable(made.reason.substr(unknown_architecture.size()))
                                                  : "the program refuses: " + printable(made.reason);
      break;
    case capture::Ended::exited:
      error.kind = ErrorKind::usage;
      error.wrong = fmt::format("the program refuses: {} ({})", last_line(made.output), made.reason);
      break;
    case capture::Ended::missing_module:
      error.kind = ErrorKind::unavailable;
      error.wrong = printable(made.reason);
      error.remedy =
          "a helper has to lie beside the program; for a package, name an interpreter that has it "
          "with --python";
      break;
    default:
      error.wrong = fmt::format("{}{}{}", capture::name_of(made.ended), made.reason.empty() ? "" : ": ",
                                printable(made.reason));
  }
  if (!call.failures.empty())
    error.wrong = "the call it makes could not be exported: " + printable(call.failures[0]);
  else if (made.ended == capture::Ended::returned)
    error.wrong = call.compiled > 0 ? "it compiled a kernel, but called none of its own through the DSL"
                                    : "it compiles no kernel of its own";
  return error;
}

Result<capture::Toolchain> toolchain_for(const std::string& program, const ExportSettings& settings,
                                         Context& context) {
  auto python = dsl_python({program, settings.python, settings.dsl_version}, context);
  if (!python) return python.error();
  auto tools = capture::find_toolchain(*python, context.source_root + "/src/capture/harness",
                                       context.environment.cache_home() + "/capture", context.environment,
                                       context.files);
  if (!tools) return tools;
  if (auto status = add_torch(*tools, settings.torch == capture::Torch::real, context); !status)
    return status.error();
  return tools;
}

class CaptureExporter final : public kernel::Exporter {
 public:
  CaptureExporter(Context& context, ExportSettings settings)
      : context_(context), settings_(std::move(settings)) {}

  Result<kernel::Exported> get(const kernel::ExportWanted& wanted) const override;

 private:
  bool dsl_is_at_hand() const {
    return !settings_.python.empty() || !settings_.dsl_version.empty() ||
           context_.environment.get("CUTELAB_DSL_PYTHON") || has_part("dsl", context_);
  }
  /// The kept export of this version, or of any where `version` is empty.
  Result<kernel::Exported> kept(const std::string& parent, const std::string& version) const;
  Result<kernel::Exported> taken_or_made(const kernel::ExportWanted& wanted, const std::string& path,
                                         const std::string& parent, const Status& source) const;
  bool only_kept() const override { return settings_.only_kept; }
  Result<kernel::Exported> made(const kernel::ExportWanted& wanted, const std::string& path,
                                const std::string& parent, const capture::Toolchain& tools) const;
  /// capture(), telling.
  Result<capture::Capture> told_capture(const capture::Request& request, const kernel::ExportWanted& wanted,
                                        const capture::Toolchain& tools) const;
  Status keep(const kernel::ExportWanted& wanted, const capture::Capture& capture,
              const std::string& folder) const;

  Context& context_;
  ExportSettings settings_;
  mutable std::mutex telling_;  ///< threads ask for exports at once
};

/// A kept export is there and cannot be read.
bool is_damaged(const Error& error) { return error.kind == ErrorKind::input; }

constexpr std::int64_t most_content = 1 << 16;  // bytes of a tensor that is kept, call_memory.py

/// Exports of before addresses inside tensors were followed: such a tensor came without its content.
bool tells_no_addresses(const kernel::ExportedCall& call) {
  return std::any_of(call.tensors.begin(), call.tensors.end(), [](const auto& tensor) {
    return (tensor.dtype == "Int64" || tensor.dtype == "Uint64") && !tensor.content &&
           tensor.bytes <= most_content;
  });
}

Result<kernel::Exported> CaptureExporter::kept(const std::string& parent, const std::string& version) const {
  Error none{ErrorKind::unavailable, "take a kept export", "there is none", parent, ""};
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(parent, failed)) {
    const std::string name = entry.path().filename().string();
    if (name[0] == '.' || (!version.empty() && name != version) || !entry.is_directory(failed)) continue;
    if (!sources_unchanged(entry.path().string(), context_)) continue;
    // Without the compiler's text it still runs, but tells less: made anew where that can be done.
    if (!version.empty() && !context_.files.status(entry.path().string() + "/kernel.mlir")) continue;
    auto found = read_export(entry.path().string(), context_.files);
    if (!found && found.error().kind == ErrorKind::input) none = found.error();
    if (!found || (!version.empty() && tells_no_addresses(found->call))) continue;
    found->from_cache = true;
    return found;
  }
  return none;
}

Status CaptureExporter::keep(const kernel::ExportWanted& wanted, const capture::Capture& capture,
                             const std::string& folder) const {
  RecordJson sources = RecordJson::array();
  std::string all =
      join(wanted.flags, "\n") + "\n" + wanted.arch + (settings_.line_table ? "\nline table" : "");
  for (const auto& source : capture.sources) {
    sources.push_back({{"path", program_name(source.path, context_)}, {"sha256", source.sha256}});
    all += "\n" + source.sha256;
  }
  const RecordJson record = {{"program", wanted.program},     {"flags", wanted.flags},
                             {"arch", capture.arch},          {"dsl_version", capture.dsl_version},
                             {"seconds", capture.seconds},    {"source_hash", sha256(all).substr(0, 16)},
                             {"sources", std::move(sources)}, {"line_table", settings_.line_table}};
  const std::string aside = fmt::format("{}/.{}", fs::path(folder).parent_path().string(), ::getpid());
  std::error_code failed;
  fs::remove_all(aside, failed);
  fs::create_directories(aside, failed);
  if (!failed) fs::copy(capture.exported, aside, failed);
  auto status =
      failed ? Status(Error{ErrorKind::unavailable, "keep an export", failed.message(), aside,
                            "make room there"})
             : write_file_atomically(aside + "/record.json",
                                     record.dump(1, ' ', false, RecordJson::error_handler_t::replace) + "\n");
  if (status) {
    fs::remove_all(folder, failed);
    fs::rename(aside, folder, failed);
  }
  fs::remove_all(aside, failed);
  return status;
}

Result<capture::Capture> CaptureExporter::told_capture(const capture::Request& request,
                                                       const kernel::ExportWanted& wanted,
                                                       const capture::Toolchain& tools) const {
  if (!settings_.tells) return capture::capture(request, tools, context_.files);
  std::optional<Progress> progress;
  {
    const std::lock_guard<std::mutex> one(telling_);
    progress.emplace(context_);
    progress->begin(fmt::format("exporting {} for {} with CuTe DSL {}{}", wanted.program, wanted.arch,
                                tools.dsl_version, settings_.line_table ? ", with a line table" : ""),
                    usual_time(export_seconds(context_)));
  }
  auto made = capture::capture(request, tools, context_.files);
  const std::lock_guard<std::mutex> one(telling_);
  progress.reset();
  return made;
}

Result<kernel::Exported> CaptureExporter::made(const kernel::ExportWanted& wanted, const std::string& path,
                                               const std::string& parent,
                                               const capture::Toolchain& tools) const {
  capture::Request request;
  request.program = path;
  for (const std::string& flag : wanted.flags) request.flags.push_back(expanded_flag(flag, context_));
  request.arch = wanted.arch;
  request.arch_is_guess = wanted.arch_is_guess;
  request.keep_failures = settings_.keep_failures;
  request.limits.seconds = settings_.most_seconds;
  request.torch = settings_.torch;
  request.cache = context_.environment.cache_home() + "/capture";
  request.export_call = true;
  request.line_table = settings_.line_table;
  auto capture = told_capture(request, wanted, tools);
  if (!capture) return capture.error();
  auto text = context_.files.read(capture->exported + "/export.json", most_record_bytes);
  auto call = text ? kernel::exported_call_from_json(*text) : Result<kernel::ExportedCall>(text.error());
  if (text && !call) return in_file(call.error(), capture->exported + "/export.json");
  if (!call || !call->exported())
    return by_version(no_export(wanted, *capture, call ? *call : kernel::ExportedCall()), path,
                      tools.dsl_version, settings_, context_);
  std::error_code failed;
  fs::create_directories(parent, failed);
  const std::string folder = parent + "/" + tools.dsl_version;
  auto lock = FileLock::take(folder + ".lock");
  if (!lock) return lock.error();
  if (auto status = keep(wanted, *capture, folder); !status) return status.error();
  auto exported = read_export(folder, context_.files);
  if (exported) exported->from_cache = capture->kept;
  return exported;
}

Result<kernel::Exported> CaptureExporter::get(const kernel::ExportWanted& wanted) const {
  auto path = program_path(wanted.program, context_);
  auto source = path ? context_.files.read(*path, max_source_bytes) : Result<std::string>(path.error());
  if (!source && wanted.program_sha256.empty()) return source.error();
  const std::string digest = source ? sha256(*source) : wanted.program_sha256;
  const std::string key = sha256(digest + "\n" + join(wanted.flags, "\n") + "\n" + wanted.arch +
                                 (settings_.line_table ? "\nlines" : ""))
                              .substr(0, 16);
  const std::string parent = context_.source_root + "/build/exports/" + key;
  const bool is_other_program = source && !wanted.program_sha256.empty() && digest != wanted.program_sha256;
  auto exported = taken_or_made(wanted, source ? *path : "", parent, source ? Status() : source.error());
  if (exported) exported->other_program = is_other_program;
  return exported;
}

Result<kernel::Exported> CaptureExporter::taken_or_made(const kernel::ExportWanted& wanted,
                                                        const std::string& path, const std::string& parent,
                                                        const Status& source) const {
  if (settings_.only_kept) {
    auto found = kept(parent, settings_.dsl_version);
    return found || is_damaged(found.error()) ? found : not_kept(wanted.program);
  }
  if (!dsl_is_at_hand() || !source) {
    auto found = kept(parent, settings_.dsl_version);
    if (found || is_damaged(found.error())) return found;
  }
  if (!source)
    return Error{ErrorKind::unavailable, "export " + wanted.program, source.error().wrong,
                 source.error().where, "set CUTLASS_DIR, or bring build/exports of a machine that has it"};
  auto tools = toolchain_for(path, settings_, context_);
  if (!tools) return tools.error();
  if (!settings_.made_by_this_harness)
    if (auto found = kept(parent, tools->dsl_version)) return found;
  return made(wanted, path, parent, *tools);
}

/// Programs in CUDA C++ are compiled, all others run.
class AnyExporter final : public kernel::Exporter {
 public:
  AnyExporter(Context& context, ExportSettings settings)
      : cpp_(make_cpp_exporter(context, settings)), dsl_(context, std::move(settings)) {}
  bool only_kept() const override { return cpp_->only_kept(); }
  Result<kernel::Exported> get(const kernel::ExportWanted& wanted) const override {
    return is_cpp_program(wanted.program) ? cpp_->get(wanted) : dsl_.get(wanted);
  }

 private:
  std::shared_ptr<const kernel::Exporter> cpp_;
  CaptureExporter dsl_;
};

}  // namespace

Result<std::string> program_path(const std::string& program, const Context& context) {
  if (program.starts_with(checkout_prefix)) {
    const auto folder = context.environment.get("CUTLASS_DIR");
    if (!folder || folder->empty())
      return Error{ErrorKind::unavailable, "find " + program, "CUTLASS_DIR is not set", "",
                   "set it to a CUTLASS checkout"};
    return *folder + "/" + program.substr(checkout_prefix.size());
  }
  return fs::path(program).is_absolute() ? program : context.source_root + "/" + program;
}

std::string program_name(const std::string& path, const Context& context) {
  const fs::path file = real(path), root = real(context.source_root);
  if (is_below(file, root)) return file.lexically_relative(root).string();
  if (const auto checkout = context.environment.get("CUTLASS_DIR"); checkout && !checkout->empty())
    if (is_below(file, real(*checkout)))
      return std::string(checkout_prefix) + file.lexically_relative(real(*checkout)).string();
  return file.string();
}

std::shared_ptr<const kernel::Exporter> make_exporter(Context& context, ExportSettings settings) {
  return std::make_shared<AnyExporter>(context, std::move(settings));
}

Error by_version(Error error, const std::string& path, const std::string& version,
                 const ExportSettings& settings, const Context& context) {
  if (!settings.python.empty() || !settings.dsl_version.empty() ||
      context.environment.get("CUTELAB_DSL_PYTHON"))
    return error;
  const std::string pinned = wanted_dsl_version(path, context);
  if (pinned.empty() || pinned == version) return error;
  error.kind = ErrorKind::unavailable;
  error.wrong +=
      fmt::format(" (with CuTe DSL {}; its checkout pins {}, which cannot be had here)", version, pinned);
  error.remedy = fmt::format("{} setup dsl-{}, with a connection", context.program, pinned);
  return error;
}

Status check_importable(const std::string& path, const std::string& arch, const ExportSettings& settings,
                        Context& context) {
  auto source = context.files.read(path, max_source_bytes);
  if (!source) return source.error();
  auto tools = toolchain_for(path, settings, context);
  if (!tools) return tools.error();
  capture::Request request;
  request.program = context.source_root + "/src/capture/harness/import_only.py";
  request.flags = {fs::absolute(path).lexically_normal().string(), sha256(*source)};
  request.arch = arch;
  request.keep_failures = settings.keep_failures;
  request.limits.seconds = settings.most_seconds;
  request.torch = settings.torch;
  request.cache = context.environment.cache_home() + "/capture";
  auto made = capture::capture(request, *tools, context.files);
  if (!made) return made.error();
  if (made->ended == capture::Ended::returned) return {};
  if (is_unknown_architecture(*made))
    return Error{ErrorKind::usage, "import " + path,
                 printable(made->reason.substr(unknown_architecture.size())), "",
                 "name one of these with --arch"};
  const std::string how = made->reason.empty() ? capture::name_of(made->ended) : printable(made->reason);
  if (made->ended ==
      capture::Ended::time_limit)  // says nothing of the file: starting the DSL alone may take long
    return Error{ErrorKind::unavailable, "import " + path,
                 "whether it can be imported as a module is not known: " + how, "",
                 "give it more time with --timeout SECONDS"};
  return Error{ErrorKind::usage, "import " + path, "it cannot be imported as a module: " + how, "",
               "correct the file: nothing of it can be called as it is"};
}

Error not_kept(const std::string& program) {
  return {ErrorKind::unavailable, "export " + program,
          "no export of this problem is kept, and its program is not run for this", "",
          "`cutelab kernel … --build` runs it"};
}

std::vector<kernel::Package> every_package(Context& context, ExportSettings settings) {
  auto packages = kernel::all_packages();
  std::vector<std::string> problems;
  settings.tells = true;
  for (kernel::Package& package : kernel::imported_packages(context.files, context.source_root,
                                                            make_exporter(context, std::move(settings)),
                                                            problems, kernel::device_arguments))
    packages.push_back(std::move(package));
  kernel::order_versions(packages);
  for (const std::string& problem : problems) context.err << "note: passed over " << problem << "\n";
  return packages;
}

}  // namespace cutelab::cli
