#include "kernel/libraries.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace cutelab::kernel {
namespace {

/// One header, where it may lie, and what tells its version.
struct Wanted {
  const char* library;
  const char* title;
  const char* header;
  const char* variable;    ///< its folder holds include/
  const char* below_cuda;  ///< below a CUDA folder
  const char* part;        ///< of `cutelab setup`
  const char* below_part;
  const char* version_header;
  std::vector<std::string> version_names;
};

const std::vector<Wanted>& wanted_headers() {
  static const std::vector<Wanted> all = {
      {"cudnn",
       "cudnn-frontend",
       "cudnn_frontend.h",
       "CUDNN_FRONTEND_DIR",
       "/include",
       "cudnn",
       "/include",
       "cudnn_frontend_version.h",
       {"CUDNN_FRONTEND_MAJOR_VERSION", "CUDNN_FRONTEND_MINOR_VERSION", "CUDNN_FRONTEND_PATCH_VERSION"}},
      {"cudnn",
       "cuDNN",
       "cudnn.h",
       "CUDNN_DIR",
       "/include",
       "cudnn",
       "/include",
       "cudnn_version.h",
       {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"}},
      {"cub",
       "CUB",
       "cub/cub.cuh",
       "CCCL_DIR",
       "/include/cccl",
       "cuda-compiler",
       "/include/cccl",
       "cub/version.cuh",
       {"CUB_VERSION"}}};
  return all;
}

std::vector<std::string> candidates_of(const Wanted& wanted, const Environment& environment,
                                       const std::string& source_root) {
  std::vector<std::string> folders;
  if (const auto named = environment.get(wanted.variable)) folders.push_back(*named + "/include");
  for (const std::string& cuda : cuda_folders(environment)) folders.push_back(cuda + wanted.below_cuda);
  folders.emplace_back("/usr/include");
  folders.push_back(fmt::format("{}/build/deps/{}{}", source_root, wanted.part, wanted.below_part));
  return folders;
}

}  // namespace

std::vector<std::string> cuda_folders(const Environment& environment) {
  std::vector<std::string> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto folder = environment.get(name)) folders.push_back(*folder);
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

std::string version_from(const std::string& header, const std::vector<std::string>& names) {
  std::vector<std::string> numbers;
  for (const std::string& name : names) {
    const std::string define = "#define " + name + " ";
    const auto at = header.find(define);
    if (at == std::string::npos) return "";
    const auto rest = std::string_view(header).substr(at + define.size());
    const auto line = trim(rest.substr(0, rest.find('\n')));
    numbers.emplace_back(line.substr(0, line.find_first_not_of("0123456789")));
  }
  return join(numbers, ".");
}

LibraryHeaders find_headers(const std::vector<std::string>& names, const Environment& environment,
                            const FileSource& files, const std::string& source_root) {
  LibraryHeaders found;
  std::vector<std::string> versions;
  for (const Wanted& wanted : wanted_headers()) {
    if (std::find(names.begin(), names.end(), wanted.library) == names.end()) continue;
    const auto candidates = candidates_of(wanted, environment, source_root);
    const auto there = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& folder) {
      return files.status(folder + "/" + wanted.header);
    });
    if (there == candidates.end()) {
      found.missing_because =
          fmt::format("there is no {} ({}, {})", wanted.header, wanted.variable, join(candidates, ", "));
      found.remedy = fmt::format("`cutelab setup {}`, or set {} to a folder that holds include/{}",
                                 wanted.part, wanted.variable, wanted.header);
      return found;
    }
    const auto version = files.read(*there + "/" + wanted.version_header, 1 << 20);
    versions.push_back(
        fmt::format("{} {}", wanted.title, version ? version_from(*version, wanted.version_names) : "?"));
    // The compiler finds /usr/include by itself; naming it would change the order of the standard headers.
    if (*there != "/usr/include") found.folders.push_back(*there);
  }
  found.versions = join(versions, ", ");
  return found;
}

std::vector<std::string> library_folders(const Environment& environment, const std::string& source_root) {
  std::vector<std::string> folders;
  for (const char* part : {"cublas", "cudnn"})
    folders.push_back(fmt::format("{}/build/deps/{}/lib", source_root, part));
  for (const std::string& cuda : cuda_folders(environment))
    for (const char* below : {"/lib64", "/lib"}) folders.push_back(cuda + below);
  return folders;
}

}  // namespace cutelab::kernel
