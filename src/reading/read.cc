#include "reading/read.h"

#include <array>
#include <string_view>

#include "base/text.h"
#include "reading/cpp/cpp_reading.h"
#include "reading/lints.h"
#include "reading/machine/library.h"
#include "reading/python_reading.h"
#include "reading/spoken_target.h"
#include "source/program.h"

namespace cutelab::reading {
namespace {
/// Folders above the one that the program was started in that are looked at for a path that begins there.
constexpr int most_above = 16;

/// Whether a checkout's own sources of the DSL lie in `root`.
bool holds_library(const std::string& root, const FileSource& files) {
  const auto status = files.status(root + "/cutlass/__init__.py");
  return status && !status->is_directory;
}

bool ends_with_one_of(const std::string& path, std::initializer_list<std::string_view> endings) {
  const std::string low = to_lower(path);
  for (const auto ending : endings)
    if (low.ends_with(ending)) return true;
  return false;
}
}  // namespace

std::vector<std::string> library_roots_for(const std::string& path, const FileSource& files,
                                           std::vector<std::string> otherwise) {
  std::string folder = path;
  for (auto slash = folder.rfind('/'); slash != std::string::npos && slash > 0; slash = folder.rfind('/')) {
    folder.resize(slash);
    const std::string root = folder + "/python/CuTeDSL";
    if (!holds_library(root, files)) continue;
    otherwise.insert(otherwise.begin(), root);
    return otherwise;
  }
  if (path.starts_with('/')) return otherwise;
  std::string root = "python/CuTeDSL";
  for (int above = 0; above <= most_above; ++above, root.insert(0, "../"))
    if (holds_library(root, files)) {
      otherwise.insert(otherwise.begin(), root);
      break;
    }
  return otherwise;
}

std::shared_ptr<machine::Library> library_for(const std::vector<std::string>& roots,
                                              const FileSource& files) {
  return std::make_shared<machine::Library>(files, roots);
}

std::shared_ptr<source::SharedModules> shared_modules() { return std::make_shared<source::SharedModules>(); }

Result<std::string> default_target(const std::string& path, const FileSource& files) {
  auto text = read_source(files, path);
  if (!text) return text.error();
  source::Program program(files, {});
  program.open(path, std::move(*text));
  return spoken_target(program.module(0));
}

Result<evidence::Reading> read(const Request& request, const FileSource& files) {
  const bool python = ends_with_one_of(request.path, {".py"});
  const bool cpp =
      ends_with_one_of(request.path, {".cu", ".cuh", ".h", ".hpp", ".hxx", ".cpp", ".cc", ".cxx", ".inl"});
  auto text = request.text ? Result<std::string>(*request.text) : read_source(files, request.path);
  if (!text) return text.error();
  if (!python && !cpp)
    return Error{ErrorKind::input, "read " + request.path, "this kind of file is not read", request.path,
                 "name a CuTe DSL (.py) or CUDA C++ (.cu, .cuh, .h, .hpp) source"};
  auto reading =
      python ? read_python(request, files, std::move(*text)) : read_cpp(request, files, std::move(*text));
  if (reading) run_lints(*reading, {request.arch, "", {}});
  return reading;
}

}  // namespace cutelab::reading
