#include "cli/captures.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <string_view>

#include "base/process.h"
#include "base/text.h"
#include "cli/exports.h"
#include "cli/import_call.h"
#include "cli/parts.h"
#include "reading/read.h"

namespace cutelab::cli {
namespace {

constexpr const char* torch_part = "torch";

bool is_version(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9' &&
         text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.") == std::string_view::npos;
}

/// Of "nvidia-cutlass-dsl[cu13]==4.7.0"; empty for another line.
std::string version_in(std::string_view line) {
  constexpr std::string_view name = "nvidia-cutlass-dsl", equals = "==";
  line = trim(line.substr(0, line.find_first_of("#;")));
  const auto at = line.find(equals);
  if (!line.starts_with(name) || at == std::string_view::npos) return "";
  const std::string_view between = trim(line.substr(name.size(), at - name.size()));
  const std::string_view version = trim(line.substr(at + equals.size()));
  const bool extras = between.empty() || (between.front() == '[' && between.back() == ']');
  return extras && is_version(version) ? std::string(version) : "";
}

/// "dsl-4.7.0", or "dsl" where that part is of this version.
std::string part_of(const std::string& version, const Context& context) {
  constexpr std::uint64_t most_bytes = 1u << 20;
  if (auto lock = context.files.read(context.source_root + "/deps/dsl.lock", most_bytes))
    for (const auto line : split(*lock, '\n'))
      if (version_in(line.substr(0, line.find(' '))) == version) return "dsl";
  return "dsl-" + version;
}

/// Error (kind usage): there is no such program.
Result<std::string> runnable_python(const std::string& python, const char* named_by, const Context& context) {
  if (!find_program(context.environment, python).empty()) return python;
  return Error{ErrorKind::usage, fmt::format("use the interpreter of {}", named_by),
               "there is no such program, or it cannot be run", python,
               "name a Python that has nvidia-cutlass-dsl, or leave it out"};
}

Result<std::string> python_of(const std::string& part, Context& context) {
  if (auto status = require_part(part, context); !status) return status.error();
  return part_folder(part, context) + "/bin/python";
}

}  // namespace

std::vector<Flag> program_flags() {
  return {{"--arch",
           "SM",
           "compile for this architecture, as sm_90a",
           "CUTE_DSL_ARCH, else what a reading of it is made for",
           false,
           {}},
          {"--torch",
           "KIND",
           "which torch the program gets: a stand-in, torch itself, or itself where the stand-in does not do",
           "auto",
           false,
           {"auto", "stand-in", "real"}},
          {"--python",
           "PROGRAM",
           "interpreter with the CuTe DSL",
           "CUTELAB_DSL_PYTHON, else an environment of its own",
           false,
           {}},
          {"--dsl-version",
           "VERSION",
           "published version of the CuTe DSL, in an environment that set-up makes",
           "the one that the program's checkout pins, else part dsl",
           false,
           {}}};
}

capture::Torch torch_of(const Arguments& arguments) {
  const std::string given = arguments.get("--torch");
  return given == "stand-in" ? capture::Torch::stand_in
         : given == "real"   ? capture::Torch::real
                             : capture::Torch::automatic;
}

Status check_is_program(const std::string& verb, const std::string& word, const std::string& sweeps,
                        const Context& context) {
  const auto status = context.files.status(word);
  if (status && status->is_directory)
    return Error{ErrorKind::usage, verb + " " + word, "it is a folder, and one program is wanted", "",
                 "name a file in it, or: " + sweeps};
  for (const char* extension : {".cu", ".cuh", ".cpp", ".h", ".hpp"})
    if (status && word.ends_with(extension))
      return Error{ErrorKind::usage, verb + " " + word, "it is CUDA C++, and a CuTe DSL program is wanted",
                   "", "`cutelab read` reads it; packages in C++ are described in docs/architecture.md"};
  return {};
}

Result<std::string> target_arch(const std::string& asked, Context& context, const std::string& program) {
  std::string arch = asked.empty() ? context.environment.get("CUTE_DSL_ARCH").value_or("") : asked;
  if (arch.empty()) {
    auto target = reading::default_target(program, context.files);
    if (!target) return target.error();
    arch = *target;
  }
  if (!capture::is_architecture(arch))
    return Error{ErrorKind::usage, "capture", fmt::format("'{}' is no architecture", printable(arch)), "",
                 "name one as sm_80, sm_90a, sm_100a, sm_120a"};
  return arch;
}

Status add_torch(capture::Toolchain& toolchain, bool wanted, Context& context) {
  if (toolchain.has_torch || !toolchain.packages.empty()) return {};
  if (wanted)
    if (auto status = require_part(torch_part, context); !status) return status;
  // Programs run in a folder of their own: a path that begins at ours would lead nowhere there.
  const std::string folder =
      std::filesystem::absolute(part_folder(torch_part, context)).lexically_normal().string();
  const std::string packages = fmt::format("{}/lib/{}/site-packages", folder, toolchain.interpreter);
  if (context.files.status(packages + "/torch")) {
    toolchain.packages = packages;
    return {};
  }
  if (!wanted) return {};
  return Error{ErrorKind::unavailable, "use part torch",
               fmt::format("it was made for another Python than {}, which is {}", toolchain.python,
                           toolchain.interpreter.empty() ? "unknown" : toolchain.interpreter),
               folder, "install torch for that interpreter, or name one that has it with --python"};
}

std::string torch_hint(std::size_t programs, const capture::Toolchain& toolchain, const Context& context) {
  if (programs == 0 || toolchain.has_torch || !toolchain.packages.empty()) return "";
  return fmt::format("{} not served by the stand-in for torch; torch itself may do: {} setup {}\n",
                     programs == 1 ? "It was" : fmt::format("{} of them were", programs), context.program,
                     torch_part);
}

std::string pinned_dsl_version(const std::string& program, const FileSource& files) {
  constexpr std::uint64_t most_bytes = 1u << 16;
  std::string folder = program;
  for (auto slash = folder.rfind('/'); slash != std::string::npos && slash > 0; slash = folder.rfind('/')) {
    folder.resize(slash);
    auto text = files.read(folder + "/python/CuTeDSL/requirements.txt", most_bytes);
    if (!text) continue;
    for (const auto line : split(*text, '\n'))
      if (const std::string version = version_in(line); !version.empty()) return version;
    return "";
  }
  return "";
}

std::string wanted_dsl_version(const std::string& program, const Context& context) {
  const auto real = [](const std::string& path) {
    std::error_code failed;
    const auto found = std::filesystem::canonical(path, failed);
    return failed ? path : found.string();
  };
  if (auto pinned = pinned_dsl_version(real(program), context.files); !pinned.empty()) return pinned;
  auto text = context.files.read(program, max_source_bytes);
  const std::string called = text ? called_program(*text) : "";
  if (called.empty()) return "";
  auto path = program_path(called, context);
  return path ? pinned_dsl_version(real(*path), context.files) : "";
}

Result<std::string> dsl_python(const DslChoice& choice, Context& context) {
  if (!choice.python.empty()) return runnable_python(choice.python, "--python", context);
  if (!choice.version.empty()) {
    if (!is_version(choice.version))
      return Error{ErrorKind::usage, "--dsl-version " + choice.version, "is no version of the CuTe DSL", "",
                   "write it as 4.7.0"};
    return python_of(part_of(choice.version, context), context);
  }
  if (auto named = context.environment.get("CUTELAB_DSL_PYTHON"))
    return runnable_python(*named, "CUTELAB_DSL_PYTHON", context);
  const std::string pinned = wanted_dsl_version(choice.program, context);
  if (pinned.empty()) return python_of("dsl", context);
  auto python = python_of(part_of(pinned, context), context);
  if (python) return python;
  context.err << "note: the checkout pins version " << pinned
              << " of the CuTe DSL, which cannot be had; the part dsl serves instead\n";
  return python_of("dsl", context);
}

}  // namespace cutelab::cli
