#include "kernel/toolchain.h"

#include <fmt/format.h>

#include <vector>

#include "base/process.h"
#include "base/text.h"
#include "kernel/libraries.h"

namespace cutelab::kernel {
namespace {

/// "nvcc 13.0.88" from the `V13.0.88` of `nvcc --version`.
std::string nvcc_version(const std::string& nvcc) {
  auto asked = run_process({{nvcc, "--version"}, "", {}, 20});
  if (!asked || !asked->succeeded()) return "";
  const auto at = asked->out.find(", V");
  if (at == std::string::npos) return "";
  const auto rest = std::string_view(asked->out).substr(at + 3);
  const auto version = trim(rest.substr(0, rest.find('\n')));
  const bool is_one = !version.empty() && version.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_one ? "nvcc " + std::string(version) : "";
}

}  // namespace

std::string find_cuda_tool(const Environment& environment, const std::string& source_root,
                           const std::string& name) {
  if (auto found = find_program(environment, name); !found.empty()) return found;
  std::vector<std::string> candidates;
  for (const std::string& folder : cuda_folders(environment)) candidates.push_back(folder + "/bin/" + name);
  for (const char* part : {"cuda-tools", "cuda-compiler"})
    candidates.push_back(fmt::format("{}/build/deps/{}/bin/{}", source_root, part, name));
  for (const std::string& candidate : candidates)
    if (!find_program(environment, candidate).empty()) return candidate;
  return "";
}

Toolchain find_toolchain(const Environment& environment, const FileSource& files,
                         const std::string& source_root) {
  Toolchain found;
  if (const auto named = environment.get("CUDACXX")) found.nvcc = find_program(environment, *named);
  if (found.nvcc.empty()) found.nvcc = find_cuda_tool(environment, source_root, "nvcc");
  if (!found.nvcc.empty()) found.nvcc_version = nvcc_version(found.nvcc);
  std::vector<std::string> includes;
  if (const auto folder = environment.get("CUTLASS_DIR")) includes.push_back(*folder + "/include");
  includes.push_back(source_root + "/third_party/cutlass/include");
  includes.push_back(source_root + "/build/deps/cutlass/cutlass_library/source/include");
  for (const std::string& include : includes) {
    auto header = files.read(include + "/cutlass/version.h", 1 << 20);
    if (!header) continue;
    found.cutlass_include = include;
    found.cutlass_version = version_from(*header, {"CUTLASS_MAJOR", "CUTLASS_MINOR", "CUTLASS_PATCH"});
    break;
  }
  if (found.nvcc.empty() || found.nvcc_version.empty()) {
    found.missing_because = found.nvcc.empty()
                                ? "there is no nvcc (CUDACXX, PATH, CUDA_HOME, /usr/local/cuda)"
                                : found.nvcc + " does not tell its version";
    found.remedy = "`cutelab setup cuda-compiler`, or install the CUDA toolkit and set CUDA_HOME";
  } else if (found.cutlass_include.empty()) {
    found.missing_because = "there are no CUTLASS headers (CUTLASS_DIR, third_party/cutlass, part cutlass)";
    found.remedy = "`cutelab setup cutlass`, or set CUTLASS_DIR to a CUTLASS checkout";
  }
  return found;
}

}  // namespace cutelab::kernel
