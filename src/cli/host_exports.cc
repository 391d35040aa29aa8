#include "cli/host_exports.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/file_lock.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/exports.h"
#include "cli/host_unit.h"
#include "cli/host_walk.h"
#include "cli/progress.h"
#include "kernel/build.h"
#include "kernel/record_launches.h"

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;
using HostRecord = nlohmann::json;

constexpr std::uint64_t most_code_bytes = 256u << 20;

/// FILL_IN stands in calls that an import wrote, where a type or a value is wanted (import_call.h).
Status is_filled_in(const std::string& program, const std::string& source) {
  std::vector<std::string> places;
  int line = 0;
  const std::string code = without_comments(source);
  for (const auto text : split(code, '\n')) {
    ++line;
    if (names_word(text, "FILL_IN")) places.push_back(fmt::format("{}", line));
  }
  if (places.empty()) return {};
  return Error{ErrorKind::usage, "compile " + program,
               fmt::format("the program refuses: fill in FILL_IN on line{} {}", places.size() == 1 ? "" : "s",
                           join(places, ", ")),
               program, "what is legal stands on these lines"};
}

class HostExporter final : public kernel::Exporter {
 public:
  HostExporter(Context& context, const ExportSettings& settings)
      : context_(context), tells_(settings.tells), only_kept_(settings.only_kept) {}
  bool only_kept() const override { return only_kept_; }
  Result<kernel::Exported> get(const kernel::ExportWanted& wanted) const override;

 private:
  /// A kept export; `source_hash`: it must be of these sources; empty = any.
  Result<kernel::Exported> kept(const std::string& parent, const std::string& source_hash) const;
  Result<kernel::Exported> made(const kernel::ExportWanted& wanted, const kernel::BuildRequest& request,
                                const kernel::Toolchain& tools, kernel::ExportedCall call,
                                const std::string& parent) const;
  Status keep(const kernel::ExportWanted& wanted, const kernel::BuiltKernel& built,
              const kernel::Exported& exported) const;

  Context& context_;
  bool tells_, only_kept_;
  mutable std::mutex compiling_;  ///< threads ask at once for what is one compilation
};

Result<kernel::Exported> HostExporter::kept(const std::string& parent, const std::string& source_hash) const {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(parent, failed)) {
    if (entry.path().filename().string()[0] == '.' || !entry.is_directory(failed)) continue;
    auto found = read_export(entry.path().string(), context_.files);
    if (!found || (!source_hash.empty() && found->source_hash != source_hash)) continue;
    if (!context_.files.status(found->folder + "/kernel.so")) continue;
    found->from_cache = true;
    return found;
  }
  return Error{ErrorKind::unavailable, "take a kept export", "there is none", parent, ""};
}

Status HostExporter::keep(const kernel::ExportWanted& wanted, const kernel::BuiltKernel& built,
                          const kernel::Exported& exported) const {
  const HostRecord record = {{"program", wanted.program},
                             {"flags", wanted.flags},
                             {"arch", wanted.arch},
                             {"dsl_version", exported.dsl_version},
                             {"seconds", exported.seconds},
                             {"source_hash", exported.source_hash},
                             {"sources", HostRecord::array()},
                             {"line_table", true}};
  const std::string aside = fmt::format("{}/.{}-{}", fs::path(exported.folder).parent_path().string(),
                                        ::getpid(), fs::path(exported.folder).filename().string());
  std::error_code failed;
  fs::remove_all(aside, failed);
  fs::create_directories(aside, failed);
  for (const char* file : {"kernel.so", "kernel.cubin"}) {
    std::error_code cannot_link;
    fs::create_hard_link(built.folder + "/" + file, aside + "/" + file, cannot_link);
    if (cannot_link && !failed) fs::copy_file(built.folder + "/" + file, aside + "/" + file, failed);
  }
  auto status = failed ? Status(Error{ErrorKind::unavailable, "keep an export", failed.message(), aside,
                                      "make room there"})
                       : write_file_atomically(aside + "/export.json", kernel::to_json(exported.call));
  if (status)
    status = write_file_atomically(aside + "/record.json",
                                   record.dump(1, ' ', false, HostRecord::error_handler_t::replace) + "\n");
  if (status) {
    fs::remove_all(exported.folder, failed);
    fs::rename(aside, exported.folder, failed);
  }
  fs::remove_all(aside, failed);
  return status;
}

Result<kernel::Exported> HostExporter::made(const kernel::ExportWanted& wanted,
                                            const kernel::BuildRequest& request,
                                            const kernel::Toolchain& tools, kernel::ExportedCall call,
                                            const std::string& parent) const {
  auto built = [&] {
    const std::lock_guard<std::mutex> one(compiling_);
    return kernel::build_kernel(request, tools);
  }();
  if (!built) return built.error();
  auto launches = kernel::record_launches(built->library, call, context_.files, context_.environment,
                                          context_.source_root);
  if (!launches) return launches.error();
  auto code = context_.files.read(built->cubin, most_code_bytes);
  if (!code) return code.error();
  kernel::Exported exported;
  call.launches = std::move(*launches);
  for (const auto& launch : call.launches)
    if (std::find(call.symbols.begin(), call.symbols.end(), launch.symbol) == call.symbols.end())
      call.symbols.push_back(launch.symbol);
  if (const int bits = accumulator_bits(call.launches[0].symbol))
    call.constants["accumulator_bits"] = fmt::format("{}", bits);
  call.device_code = "kernel.cubin";
  call.device_code_sha256 = sha256(*code);
  call.object_sha256 = built->source_hash;
  exported.call = std::move(call);
  exported.source_hash = built->source_hash;
  exported.dsl_version = fmt::format("{}, CUTLASS {}", built->compiler, built->cutlass);
  exported.arch = wanted.arch;
  exported.seconds = built->seconds;
  exported.line_table = true;
  exported.folder = parent + "/" + fs::path(built->folder).filename().string();
  std::error_code failed;
  fs::create_directories(parent, failed);
  auto lock = FileLock::take(exported.folder + ".lock");
  if (!lock) return lock.error();
  if (auto status = keep(wanted, *built, exported); !status) return status.error();
  return exported;
}

Result<kernel::Exported> HostExporter::get(const kernel::ExportWanted& wanted) const {
  auto named = program_path(wanted.program, context_);
  auto source = named ? context_.files.read(*named, max_source_bytes) : Result<std::string>(named.error());
  if (!source && wanted.program_sha256.empty()) return source.error();
  const std::string digest = source ? sha256(*source) : wanted.program_sha256;
  const std::string key = sha256(digest + "\n" + join(wanted.flags, "\n") + "\n" + wanted.arch).substr(0, 16);
  const std::string parent = fs::absolute(context_.source_root + "/build/exports/" + key).string();
  if (!source) {
    if (auto found = kept(parent, "")) return found;
    return Error{ErrorKind::unavailable, "compile " + wanted.program, source.error().wrong,
                 source.error().where, "set CUTLASS_DIR, or bring build/exports of a machine that has it"};
  }
  const std::string path = fs::absolute(*named).lexically_normal().string();
  if (auto filled = is_filled_in(wanted.program, *source); !filled) return filled.error();
  auto host = read_host_call(wanted.program, *source, wanted.flags);
  if (!host) return host.error();
  auto call = exported_host_call(wanted.program, *host);
  if (!call) return call.error();
  auto unit = host_unit(path, *host);
  if (!unit) return unit.error();
  const auto tools = kernel::find_toolchain(context_.environment, context_.files, context_.source_root);
  Progress progress(context_);
  kernel::BuildRequest request{context_.files, context_.environment, context_.source_root,
                               wanted.program, {"NDEBUG"},           wanted.arch};
  request.compiling = [&] {
    if (tells_)
      progress.begin(
          fmt::format("compiling {} for {} with {}", wanted.program, wanted.arch, tools.nvcc_version),
          usual_time(kernel::compile_seconds(context_.files, context_.source_root)));
  };
  request.unit = std::move(*unit);
  request.program = path;
  request.included = local_includes(path, context_.files, tools.cutlass_include);
  if (!tools.cutlass_include.empty())
    for (const char* folder : {"/tools/util/include", "/examples/common"})
      if (const std::string below = fs::path(tools.cutlass_include).parent_path().string() + folder;
          context_.files.status(below))
        request.include_folders.push_back(below);
  auto hash = kernel::source_hash(request);
  if (!hash) return hash.error();
  if (auto found = kept(parent, *hash)) {
    // What is read and written is not kept.
    call->launches = found->call.launches;
    call->symbols = found->call.symbols;
    call->constants = found->call.constants;
    call->device_code = found->call.device_code;
    call->device_code_sha256 = found->call.device_code_sha256;
    call->object_sha256 = found->call.object_sha256;
    found->call = std::move(*call);
    return found;
  }
  if (!only_kept_) return made(wanted, request, tools, std::move(*call), parent);
  // What is compiled already may be asked what it launches: nvcc is not started for that.
  kernel::Toolchain no_compiler;
  no_compiler.missing_because = "nothing is compiled for this";
  auto compiled = made(wanted, request, no_compiler, std::move(*call), parent);
  return compiled || compiled.error().kind != ErrorKind::unavailable ? std::move(compiled)
                                                                     : not_kept(wanted.program);
}

}  // namespace

std::vector<std::string> local_includes(const std::string& program, const FileSource& files,
                                        const std::string& headers) {
  std::vector<std::string> found, open = {program};
  std::set<std::string> seen = {program};
  while (!open.empty() && found.size() < 200) {
    const std::string file = open.back();
    open.pop_back();
    auto text = files.read(file, max_source_bytes);
    if (!text) continue;
    for (const auto line : split(*text, '\n')) {
      const auto plain = trim(line);
      const auto quote = plain.find('"');
      if (!plain.starts_with("#") || plain.find("include") == std::string_view::npos ||
          quote == std::string_view::npos)
        continue;
      const auto end = plain.find('"', quote + 1);
      if (end == std::string_view::npos) continue;
      const std::string name(plain.substr(quote + 1, end - quote - 1));
      std::string path = (fs::path(file).parent_path() / name).lexically_normal().string();
      auto status = files.status(path);
      if (!status && !headers.empty() && name.starts_with("../")) {
        path = (fs::path(headers) / name).lexically_normal().string();
        status = files.status(path);
      }
      if (!status || status->is_directory || !seen.insert(path).second) continue;
      found.push_back(path);
      open.push_back(path);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_cpp_program(const std::string& program) {
  for (const char* extension : {".cu", ".cuh", ".cpp", ".cc", ".h", ".hpp"})
    if (program.ends_with(extension)) return true;
  return false;
}

int accumulator_bits(const std::string& symbol) {
  // "MMA_64x64x16_F16F16F16_SS", "SM80_16x8x16_F16F16F16F16_TN": the type of D stands first.
  static const std::regex instruction("[0-9]+x[0-9]+x[0-9]+_(F16|F32|F64|S32)");
  std::smatch found;
  if (std::regex_search(symbol, found, instruction)) return found[1] == "F16" ? 10 : 0;
  // UniversalFMA<D, …> adds in D's own type.
  const auto at = symbol.find("12UniversalFMAI");
  if (at == std::string::npos) return 0;
  const std::string type = symbol.substr(at + 15, 40);
  if (type.starts_with("N7cutlass6half_t") || type.starts_with("6__half")) return 10;
  return type.starts_with("N7cutlass10bfloat16_t") ? 7 : 0;
}

std::string cpp_target(const std::string& source) {
  const std::string text = without_comments(source);
  for (const char* generation : {"120", "103", "100"})
    for (const char* spelled : {"SM", "sm"})
      for (std::size_t at = text.find(spelled + std::string(generation)); at != std::string::npos;
           at = text.find(spelled + std::string(generation), at + 1)) {
        const char after = at + 5 < text.size() ? text[at + 5] : ' ';
        if (after < '0' || after > '9') return fmt::format("sm_{}a", generation);
      }
  return "sm_90a";
}

std::shared_ptr<const kernel::Exporter> make_cpp_exporter(Context& context, const ExportSettings& settings) {
  return std::make_shared<HostExporter>(context, settings);
}

}  // namespace cutelab::cli
