#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file_lock.h"
#include "base/sha256.h"
#include "base/text.h"
#include "capture/program.h"

namespace cutelab::capture {
namespace {
namespace fs = std::filesystem;

/// Three words: version of the DSL, the interpreter's own, whether it has torch.
constexpr const char* about_program =
    "import importlib.metadata as m, importlib.util as u, sys; print(m.version('nvidia-cutlass-dsl'), "
    "'python%d.%d' % sys.version_info[:2], u.find_spec('torch') is not None)";

struct Interpreter {
  std::string dsl_version;
  std::string name;  ///< "python3.11"
  bool has_torch = false;
};

Error no_dsl(const std::string& python) {
  return Error{ErrorKind::unavailable, "capture a CuTe DSL program", "this Python has no nvidia-cutlass-dsl",
               python,
               "`cutelab setup dsl`, or name an interpreter that has it with --python or CUTELAB_DSL_PYTHON"};
}

/// "…/nvidia_cutlass_dsl-4.8.1.dist-info" beside an environment's interpreter: saves a start of Python.
Interpreter about_beside(const std::string& python) {
  std::error_code failed;
  const fs::path libraries = fs::path(python).parent_path().parent_path() / "lib";
  constexpr std::string_view prefix = "nvidia_cutlass_dsl-", suffix = ".dist-info";
  for (const auto& version : fs::directory_iterator(libraries, failed)) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(version.path() / "site-packages", none)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(prefix) && name.ends_with(suffix))
        return {name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()),
                version.path().filename().string(), fs::exists(version.path() / "site-packages/torch", none)};
    }
  }
  return {};
}

Result<Interpreter> about(const std::string& python) {
  if (Interpreter found = about_beside(python); !found.dsl_version.empty()) return found;
  ProcessSpec spec;
  spec.argv = {python, "-c", about_program};
  spec.limit_seconds = 30;
  auto done = run_process(spec);
  if (!done) return done.error();
  const auto words = split(trim(done->out), ' ');
  if (!done->succeeded() || words.size() != 3) return no_dsl(python);
  return Interpreter{std::string(words[0]), std::string(words[1]), words[2] == "True"};
}

std::string compiler(const Environment& environment) {
  if (auto named = environment.get("CC")) return find_program(environment, *named);
  for (const char* name : {"cc", "gcc", "clang"})
    if (std::string found = find_program(environment, name); !found.empty()) return found;
  return "";
}

/// The recorder as a shared library, made once per text of its source.
Result<std::string> recorder(const std::string& harness, const std::string& cache,
                             const Environment& environment, const FileSource& files) {
  const std::string source = harness + "/recorder.c";
  auto text = files.read(source, max_source_bytes);
  if (!text) return text.error();
  const std::string library = fmt::format("{}/recorder-{}.so", cache, sha256(*text).substr(0, 16));
  auto lock = FileLock::take(library + ".lock");
  if (!lock) return lock.error();
  if (files.status(library)) return library;
  const std::string cc = compiler(environment);
  if (cc.empty())
    return Error{ErrorKind::unavailable, "compile the launch recorder", "there is no C compiler", source,
                 "install one (cc, gcc or clang) or name it in CC"};
  const std::string made = library + ".new";
  ProcessSpec spec;
  spec.argv = {cc, "-O1", "-shared", "-fPIC", "-o", made, source};
  spec.limit_seconds = 60;
  auto done = run_process(spec);
  if (!done) return done.error();
  std::error_code failed;
  if (done->succeeded()) fs::rename(made, library, failed);
  if (!done->succeeded() || failed)
    return Error{ErrorKind::unavailable, "compile the launch recorder",
                 failed ? failed.message() : std::string(trim(done->err)), source, shell_line(spec.argv)};
  return library;
}

}  // namespace

Result<Toolchain> find_toolchain(const std::string& python, const std::string& harness,
                                 const std::string& cache, const Environment& environment,
                                 const FileSource& files) {
  Toolchain found;
  found.python = find_program(environment, python);
  if (found.python.empty()) return no_dsl(python);
  found.python = fs::absolute(found.python)
                     .lexically_normal()
                     .string();  // not resolved: an environment is known by its link
  auto interpreter = about(found.python);
  if (!interpreter) return interpreter.error();
  found.dsl_version = interpreter->dsl_version;
  found.interpreter = interpreter->name;
  found.has_torch = interpreter->has_torch;
  found.harness = fs::absolute(harness).lexically_normal().string();
  auto library = recorder(found.harness, fs::absolute(cache).lexically_normal().string(), environment, files);
  if (!library) return library.error();
  found.recorder = *library;
  return found;
}

}  // namespace cutelab::capture
