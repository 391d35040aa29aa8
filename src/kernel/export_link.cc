#include "kernel/export_link.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"
#include "kernel/record_launches.h"

namespace cutelab::kernel {
namespace {
namespace fs = std::filesystem;

/// "kernel-<digest of the door>.so": another door, another library.
Result<std::string> library_name(const FileSource& files, const std::string& source_root) {
  std::string text;
  for (const char* name : {"exported_door.c", "exported_door.map", "launch_abi.h"}) {
    auto part = files.read(fmt::format("{}/kernels/{}", source_root, name), max_source_bytes);
    if (!part) return part.error();
    text += *part;
  }
  return fmt::format("kernel-{}.so", sha256(text).substr(0, 8));
}

std::vector<std::string> link_command(const std::string& compiler, const Exported& exported,
                                      const std::string& runtime, const std::string& kernels,
                                      const std::string& out) {
  const std::string prefix = "_mlir_exported_kernel_cuda_";  // as harness/export_calls.py names its symbols
  return {compiler,
          "-O2",
          "-shared",
          "-fPIC",
          "-Wl,--wrap=_cudaLaunchKernelEx",
          "-Wl,-z,defs",
          "-Wl,--version-script=" + kernels + "/exported_door.map",
          "-I" + kernels,
          "-DCUTELAB_EXPORT_ENTRY=" + exported.call.entry,
          "-DCUTELAB_EXPORT_INIT=" + prefix + "init",
          "-DCUTELAB_EXPORT_LOAD=" + prefix + "load_to_device",
          "-o",
          out,
          kernels + "/exported_door.c",
          exported.folder + "/kernel.o",
          exported.call.runtime_archive,
          runtime,
          "-ldl",
          "-lpthread",
          "-lrt"};
}

/// Why it could not be linked; empty when the library is there.
std::string link(const Exported& exported, const FileSource& files, const Environment& environment,
                 const std::string& source_root, BuiltKernel& built) {
  const std::string compiler = find_c_compiler(environment);
  if (compiler.empty()) return "there is no C compiler (cc, gcc or clang, or CC)";
  if (exported.call.runtime_archive.empty() || !files.status(exported.call.runtime_archive))
    return "the DSL's libcuda_dialect_runtime_static.a is not there";
  const std::string runtime = find_cuda_runtime(environment, files, source_root);
  if (runtime.empty())
    return "there is no libcudart_static.a (a CUDA toolkit, or `cutelab setup cuda-compiler`)";
  const std::string made = fmt::format("{}.{}", built.library, ::getpid());
  const auto command =
      link_command(compiler, exported, runtime, fs::absolute(source_root + "/kernels").string(), made);
  built.command = shell_line(command);
  auto done = run_process({command, "", {}, 120, {made}});
  if (!done) return done.error().wrong;
  std::error_code failed;
  if (!done->succeeded()) {
    fs::remove(made, failed);
    return "linking failed: " + std::string(trim(done->err)).substr(0, 1000);
  }
  fs::rename(made, built.library, failed);
  return failed ? "cannot write " + built.library + ": " + failed.message() : "";
}

}  // namespace

std::string find_cuda_runtime(const Environment& environment, const FileSource& files,
                              const std::string& source_root) {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto folder = environment.get(variable)) folders.push_back(*folder);
  if (const std::string nvcc = find_program(environment, "nvcc"); !nvcc.empty())
    folders.push_back(fs::path(nvcc).parent_path().parent_path().string());
  folders.emplace_back("/usr/local/cuda");
  folders.push_back(source_root + "/build/deps/cuda-compiler");
  for (const std::string& folder : folders)
    for (const char* below : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/"})
      if (std::string found = folder + below + "libcudart_static.a"; files.status(found)) return found;
  return "";
}

BuiltKernel link_export(const Exported& exported, const FileSource& files, const Environment& environment,
                        const std::string& source_root) {
  BuiltKernel built;
  built.folder = exported.folder;
  built.cubin = exported.folder + "/" + exported.call.device_code;
  built.source_hash = exported.source_hash;
  built.compiler = "CuTe DSL " + exported.dsl_version;
  built.from_cache = exported.from_cache;
  if (exported.call.has_door()) {
    built.library = exported.folder + "/kernel.so";
    built.compiler = exported.dsl_version;
    return built;
  }
  auto name = library_name(files, source_root);
  if (!name) {
    built.not_linked_because = name.error().wrong;
    return built;
  }
  built.library = exported.folder + "/" + *name;
  if (files.status(built.library)) return built;
  built.not_linked_because = link(exported, files, environment, source_root, built);
  if (!built.not_linked_because.empty()) built.library.clear();
  return built;
}

}  // namespace cutelab::kernel
