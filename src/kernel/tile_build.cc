#include "kernel/tile_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"

namespace cutelab::kernel {
namespace {
namespace fs = std::filesystem;

constexpr double tile_compile_limit_seconds = 600;
constexpr std::uint64_t most_record_bytes = 1 << 20;

std::string export_step(const TileBuildRequest& request) {
  return request.source_root + "/kernels/cutile/export.py";
}

/// The build in `folder` if it is whole.
Result<BuiltKernel> kept_tile(const TileBuildRequest& request, const std::string& hash,
                              const std::string& folder) {
  const std::string record = folder + "/kernel.json";
  auto text = request.files.read(record, most_record_bytes);
  if (!text) return text.error();
  const auto document = nlohmann::json::parse(*text, nullptr, false);
  const Error torn{ErrorKind::input, "take a compiled cuTile kernel", "it is not whole", folder,
                   "delete the folder"};
  if (!document.is_object() || !document.contains("steps") || !document["steps"].is_array()) return torn;
  BuiltKernel built;
  built.folder = folder;
  built.library = record;
  built.source_hash = hash;
  built.compiler = document.value("compiler", "");
  built.seconds = document.value("seconds", 0.0);
  built.from_cache = true;
  for (const auto& step : document["steps"]) {
    if (!step.is_object()) return torn;
    const std::string cubin = folder + "/" + step.value("cubin", "");
    if (auto status = request.files.status(cubin); !status || status->is_directory) return torn;
    if (built.cubin.empty()) built.cubin = cubin;
  }
  return built.cubin.empty() ? Result<BuiltKernel>(torn) : built;
}

Result<BuiltKernel> any_kept_tile(const TileBuildRequest& request, const std::string& hash) {
  std::error_code code;
  for (const auto& entry :
       fs::directory_iterator(fmt::format("{}/build/kernels/{}", request.source_root, hash), code))
    if (entry.path().filename().string()[0] != '.')
      if (auto built = kept_tile(request, hash, entry.path().string())) return built;
  return Error{ErrorKind::unavailable, "compile " + request.folder, "cuTile is not installed", "",
               "`cutelab setup cutile`; or bring build/kernels of a machine that has compiled it"};
}

/// The last lines of what Python says: the exception.
std::string last_words(const std::string& text) {
  const auto lines = split(trim(text), '\n');
  std::vector<std::string> last;
  for (std::size_t i = lines.size() > 6 ? lines.size() - 6 : 0; i < lines.size(); ++i)
    last.emplace_back(lines[i]);
  return join(last, "\n      ");
}

Status export_tile(const TileBuildRequest& request, const std::string& scratch, std::string& command) {
  auto steps = nlohmann::ordered_json::array();
  for (const std::string& line : tile_requests(request.program))
    steps.push_back(nlohmann::ordered_json::parse(line));
  const nlohmann::ordered_json wanted = {
      {"source", fs::absolute(request.source_root + "/" + request.folder + "/kernel.py").string()},
      {"arch", request.arch},
      {"out", scratch},
      {"steps", std::move(steps)}};
  const std::string file = scratch + "/request.json";
  if (auto s = write_file_atomically(file, wanted.dump(1) + "\n"); !s) return s;
  const std::vector<std::string> argv = {fs::absolute(request.python).string(),
                                         fs::absolute(export_step(request)).string(), file};
  command = shell_line(argv);
  // cuTile and its assembler keep files there while they work; what a signal leaves of them goes with it.
  const std::string temporary = scratch + "/temporary";
  std::error_code code;
  fs::create_directories(temporary, code);
  auto done =
      run_process({argv,
                   scratch,
                   {{"CUDA_TILE_CACHE_DIR", "off"}, {"PYTHONDONTWRITEBYTECODE", "1"}, {"TMPDIR", temporary}},
                   tile_compile_limit_seconds,
                   {scratch}});
  fs::remove_all(temporary, code);
  if (!done) return done.error();
  if (done->succeeded()) return {};
  return Error{ErrorKind::unavailable, "compile " + request.folder,
               done->timed_out ? "cuTile was stopped after ten minutes" : "cuTile does not compile it",
               last_words(done->err + done->out), "change the configuration or kernel.py"};
}

}  // namespace

std::string pinned_tile_compiler(const FileSource& files, const std::string& source_root) {
  auto lock = files.read(source_root + "/deps/cutile.lock", max_source_bytes);
  if (!lock) return "";
  std::vector<std::string> pinned;
  for (const auto line : split(*lock, '\n'))
    for (const std::string name : {"cuda-tile", "nvidia-cuda-tileiras"})
      if (line.starts_with(name + "=="))
        pinned.push_back(name + " " + std::string(trim(split(line.substr(name.size() + 2), ' ')[0])));
  return join(pinned, ", ");
}

Result<std::string> tile_source_hash(const TileBuildRequest& request) {
  std::string text = join(tile_requests(request.program), "\n") + "\n" + request.arch;
  for (const std::string& file :
       {request.source_root + "/" + request.folder + "/kernel.py", export_step(request)}) {
    auto content = request.files.read(file, max_source_bytes);
    if (!content) return content.error();
    text += fmt::format("\n{}\n", content->size()) + *content;
  }
  return sha256(text).substr(0, 16);
}

Result<BuiltKernel> build_tile_kernel(const TileBuildRequest& request) {
  auto hash = tile_source_hash(request);
  if (!hash) return hash.error();
  if (request.python.empty()) return any_kept_tile(request, *hash);
  auto lock = request.files.read(request.source_root + "/deps/cutile.lock", max_source_bytes);
  if (!lock) return lock.error();
  const std::string parent =
      fs::absolute(fmt::format("{}/build/kernels/{}", request.source_root, *hash)).string();
  const std::string folder = parent + "/" + sha256(*lock).substr(0, 12);
  if (auto built = kept_tile(request, *hash, folder)) return built;
  std::error_code code;
  fs::create_directories(parent, code);
  std::string scratch = parent + "/.XXXXXX";
  if (!mkdtemp(scratch.data()))
    return Error{ErrorKind::input, "compile " + request.folder, "cannot write there", parent,
                 "check the folder's permissions and free space"};
  std::string command;
  if (request.compiling) request.compiling();
  auto status = export_tile(request, scratch, command);
  fs::permissions(scratch, fs::perms(0755), code);  // mkdtemp makes it private
  if (status) {
    fs::remove(scratch + "/request.json", code);
    fs::remove_all(folder, code);  // one that is not whole
    fs::rename(scratch, folder, code);
  }
  fs::remove_all(scratch, code);
  if (!status) return status.error();
  auto built = kept_tile(request, *hash, folder);
  if (built) {
    built->from_cache = false;
    built->command = command;
  }
  return built;
}

}  // namespace cutelab::kernel
