#include "kernel/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"
#include "kernel/libraries.h"

namespace cutelab::kernel {
namespace fs = std::filesystem;
namespace {

constexpr double compile_limit_seconds = 600;

std::vector<std::string> flags_of(const BuildRequest& request) {
  const std::string number = request.arch.substr(request.arch.find('_') + 1);
  std::vector<std::string> flags = {"-std=c++17", "-O3", "--expt-relaxed-constexpr", "-lineinfo",
                                    fmt::format("-gencode=arch=compute_{0},code=sm_{0}", number)};
  for (const std::string& define : request.defines) flags.push_back("-D" + define);
  return flags;
}

std::string toolchain_hash(const Toolchain& toolchain, const LibraryHeaders& headers) {
  std::string text = toolchain.nvcc_version + "\ncutlass " + toolchain.cutlass_version;
  if (!headers.versions.empty()) text += "\n" + headers.versions;
  return sha256(text).substr(0, 12);
}

std::string record_text(const BuiltKernel& built) {
  std::string text =
      fmt::format("compiler: {}\ncutlass: {}\nlibraries: {}\nseconds: {:.1f}\ncommand: {}\n", built.compiler,
                  built.cutlass, built.libraries, built.seconds, built.command);
  for (const std::string& line : built.advice) text += "advice: " + line + "\n";
  return text;
}

/// The build in `folder` if it is whole.
Result<BuiltKernel> cached(const BuildRequest& request, const std::string& hash, const std::string& folder) {
  auto record = request.files.read(folder + "/build.txt", 1 << 20);
  if (!record) return record.error();
  BuiltKernel built;
  built.folder = folder;
  built.library = folder + "/kernel.so";
  built.cubin = folder + "/kernel.cubin";
  built.source_hash = hash;
  built.from_cache = true;
  for (const auto line : split(*record, '\n')) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string value(line.substr(colon + 2));
    const auto name = line.substr(0, colon);
    if (name == "compiler") built.compiler = value;
    if (name == "cutlass") built.cutlass = value;
    if (name == "libraries") built.libraries = value;
    if (name == "seconds") built.seconds = std::strtod(value.c_str(), nullptr);
    if (name == "command") built.command = value;
    if (name == "advice") built.advice.push_back(value);
  }
  for (const std::string& file : {built.library, built.cubin})
    if (auto status = request.files.status(file); !status) return status.error();
  return built;
}

Result<BuiltKernel> any_cached(const BuildRequest& request, const std::string& hash,
                               const std::string& missing_because, const std::string& remedy) {
  const std::string folder = fmt::format("{}/build/kernels/{}", request.source_root, hash);
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (entry.path().filename().string()[0] != '.')
      if (auto built = cached(request, hash, entry.path().string())) return built;
  return Error{ErrorKind::unavailable, "compile " + request.folder, missing_because, "",
               remedy + "; or bring build/kernels of a machine that has compiled it"};
}

std::string first_errors(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto line : split(text, '\n'))
    if (line.find("error") != std::string_view::npos && lines.size() < 8) lines.emplace_back(line);
  return lines.empty() ? text.substr(0, 2000) : join(lines, "\n      ");
}

/// ptxas tells in passing what costs speed: "ptxas info    : (C7511) Potential Performance Loss: … in the
/// function '…'", "(C7517) warpgroup.wait is injected in around line 12 by compiler to …".
std::vector<std::string> advice_of(const std::string& text) {
  std::vector<std::string> all;
  for (const auto line : split(text, '\n')) {
    const auto begin = line.find("(C75");
    if (begin == std::string_view::npos) continue;
    std::string said(line.substr(begin));
    for (const char* end : {" in the function '", " in function '"})
      if (const auto at = said.find(end); at != std::string::npos) said.resize(at);
    if (std::find(all.begin(), all.end(), said) == all.end()) all.push_back(std::move(said));
  }
  return all;
}

/// The cubin among nvcc's kept intermediate files.
std::string kept_cubin(const std::string& folder) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (entry.path().extension().string() == ".cubin") return entry.path().string();
  return "";
}

/// The command of a compilation that failed. The unit that it compiles goes with the scratch folder: it is
/// written once more, where the next failure of the same sources finds it.
std::string command_to_repeat(const BuildRequest& request, const BuiltKernel& built) {
  if (request.unit.empty()) return built.command;
  const std::string unit = (fs::path(built.folder).parent_path() / "failed.cu").string();
  if (!write_file_atomically(unit, request.unit)) return built.command;
  return replace_all(built.command, built.folder + "/kernel.cu", unit);
}

Status compile(const BuildRequest& request, const Toolchain& toolchain, const LibraryHeaders& headers,
               const std::string& scratch, BuiltKernel& built) {
  std::error_code code;
  fs::create_directories(scratch + "/keep", code);
  const std::string root = fs::absolute(request.source_root).string();
  std::vector<std::string> argv = {toolchain.nvcc, "-shared", "-Xcompiler", "-fPIC", "-cudart", "static"};
  for (std::string& flag : flags_of(request)) argv.push_back(std::move(flag));
  argv.insert(argv.end(),
              {"-I" + root + "/kernels", "-isystem", fs::absolute(toolchain.cutlass_include).string()});
  for (const std::string& folder : headers.folders)
    argv.insert(argv.end(), {"-isystem", fs::absolute(folder).string()});
  for (const std::string& folder : request.include_folders)
    argv.insert(argv.end(), {"-isystem", fs::absolute(folder).string()});
  if (request.unit.empty()) {
    argv.push_back(root + "/" + request.folder + "/kernel.cu");
  } else {
    for (std::string& flag : example_door_flags(root)) argv.push_back(std::move(flag));
    if (auto status = write_file_atomically(scratch + "/kernel.cu", request.unit); !status) return status;
    argv.push_back(scratch + "/kernel.cu");
  }
  built.command = replace_all(shell_line(argv), scratch, built.folder);
  argv.insert(argv.end(), {"--keep", "--keep-dir", scratch + "/keep", "-o", scratch + "/kernel.so"});
  if (request.compiling) request.compiling();
  const auto begin = std::chrono::steady_clock::now();
  auto done = run_process({argv, scratch, {{"TMPDIR", scratch}}, compile_limit_seconds, {scratch}});
  if (!done) return done.error();
  built.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::string cubin = kept_cubin(scratch + "/keep");
  built.advice = advice_of(done->err + done->out);
  if (done->succeeded() && !cubin.empty()) {
    fs::rename(cubin, scratch + "/kernel.cubin", code);
    fs::remove_all(scratch + "/keep", code);
    return code ? Status(Error{ErrorKind::internal, "keep the cubin", code.message(), cubin, ""}) : Status();
  }
  return Error{ErrorKind::unavailable, "compile " + request.folder,
               done->timed_out ? "nvcc was stopped after ten minutes" : "nvcc failed",
               first_errors(done->err + done->out), "run it yourself: " + command_to_repeat(request, built)};
}

/// Of a unit that includes a program: the program's path says nothing.
Result<std::string> unit_hash(const BuildRequest& request) {
  std::string text =
      join(flags_of(request), "\n") + "\n" + replace_all(request.unit, request.program, "program");
  std::vector<std::string> sources = {request.source_root + "/kernels/launch_abi.h",
                                      request.source_root + "/kernels/example_door.cuh", request.program};
  sources.insert(sources.end(), request.included.begin(), request.included.end());
  for (const std::string& source : sources) {
    auto content = request.files.read(source, max_source_bytes);
    if (!content) return content.error();
    text += fmt::format("\n{}\n", content->size()) + *content;
  }
  return sha256(text).substr(0, 16);
}

}  // namespace

std::vector<std::string> example_door_flags(const std::string& source_root) {
  std::vector<std::string> flags = {"-Xlinker",
                                    "--version-script=" + source_root + "/kernels/example_door.map"};
  for (const char* wrapped : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaFuncSetAttribute",
                              "cudaGetLastError", "cudaPeekAtLastError", "cudaDeviceSynchronize",
                              "cudaStreamSynchronize", "cudaGetDevice", "cudaGetDriverEntryPointByVersion",
                              "__cudaGetKernel", "__cudaLaunchKernel", "__cudaRegisterFunction"})
    flags.insert(flags.end(), {"-Xlinker", std::string("--wrap=") + wrapped});
  return flags;
}

Result<std::string> source_hash(const BuildRequest& request) {
  if (!request.unit.empty()) return unit_hash(request);
  const fs::path folder = fs::path(request.source_root) / request.folder;
  const fs::path design = folder.parent_path();  // headers there are shared by its versions
  auto names = request.files.list(design.string(), nullptr);
  if (!names) return names.error();
  std::vector<std::string> sources = {request.source_root + "/kernels/launch_abi.h"};
  for (const std::string& name : *names) {
    const auto extension = fs::path(name).extension();
    const bool header = extension == ".h" || extension == ".cuh";
    const bool shared = header && fs::path(name).parent_path() == design;
    const bool described = fs::path(name).filename() == "package.json" || extension == ".py";
    if (shared || ((header || described || extension == ".cu") && name.rfind(folder.string() + "/", 0) == 0))
      sources.push_back(name);
  }
  std::string text = join(flags_of(request), "\n");
  const std::string stamps = request.source_root + "/kernels/role_timeline.cuh";
  bool stamped = false;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string source = sources[i];
    auto content = request.files.read(source, max_source_bytes);
    if (!content) return content.error();
    if (!stamped && content->find("\"role_timeline.cuh\"") != std::string::npos) {
      sources.push_back(stamps);
      stamped = true;
    }
    text += fmt::format("\n{} {}\n", fs::path(source).filename().string(), content->size()) + *content;
  }
  return sha256(text).substr(0, 16);
}

Result<BuiltKernel> build_kernel(const BuildRequest& request, const Toolchain& toolchain) {
  auto hash = source_hash(request);
  if (!hash) return hash.error();
  const auto headers = find_headers(request.headers, request.environment, request.files, request.source_root);
  if (!toolchain.complete()) return any_cached(request, *hash, toolchain.missing_because, toolchain.remedy);
  if (!headers.missing_because.empty())
    return any_cached(request, *hash, headers.missing_because, headers.remedy);
  const std::string parent =
      fs::absolute(fmt::format("{}/build/kernels/{}", request.source_root, *hash)).string();
  const std::string folder = parent + "/" + toolchain_hash(toolchain, headers);
  if (auto built = cached(request, *hash, folder)) return built;
  std::error_code code;
  fs::create_directories(parent, code);
  std::string scratch = parent + "/.XXXXXX";
  if (!mkdtemp(scratch.data()))
    return Error{ErrorKind::input, "compile " + request.folder, "cannot write there", parent,
                 "check the folder's permissions and free space"};
  BuiltKernel built;
  built.folder = folder;
  built.library = folder + "/kernel.so";
  built.cubin = folder + "/kernel.cubin";
  built.source_hash = *hash;
  built.compiler = toolchain.nvcc_version;
  built.cutlass = toolchain.cutlass_version;
  built.libraries = headers.versions;
  auto status = compile(request, toolchain, headers, scratch, built);
  if (status) status = write_file_atomically(scratch + "/build.txt", record_text(built));
  fs::permissions(scratch, fs::perms(0755), code);  // mkdtemp makes it private
  if (status) fs::rename(scratch, folder, code);
  fs::remove_all(scratch, code);
  if (!status) return status.error();
  return cached(request, *hash, folder)
             ? Result<BuiltKernel>(built)
             : Error{ErrorKind::input, "keep the compiled kernel", "cannot write there", folder,
                     "check the folder's permissions and free space"};
}

std::vector<double> compile_seconds(const FileSource& files, const std::string& source_root) {
  std::vector<double> all;
  std::error_code code;
  const fs::recursive_directory_iterator end;
  for (fs::recursive_directory_iterator entry(source_root + "/build/kernels", code); !code && entry != end;
       entry.increment(code)) {
    if (entry->path().filename() != "build.txt") continue;
    auto record = files.read(entry->path().string(), 1 << 20);
    if (!record) continue;
    const std::string name = "\nseconds: ";
    const auto at = record->find(name);
    if (at == std::string::npos) continue;
    if (const double seconds = std::strtod(record->c_str() + at + name.size(), nullptr); seconds > 0)
      all.push_back(seconds);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace cutelab::kernel
