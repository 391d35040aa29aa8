#include "cli/import_open.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/process.h"
#include "base/text.h"
#include "cli/exports.h"
#include "cli/host_call_program.h"
#include "cli/host_exports.h"
#include "cli/import_call.h"

namespace cutelab::cli {
namespace {

std::string open_readme(const OpenPackage& open, const Error& because, const std::string& program,
                        const std::vector<std::string>& others) {
  const auto& d = open.description;
  std::string text = fmt::format(
      "# {}, {}\n\n{}\n\nImported from `{}`, for {}; the source stays where it is. Its main makes no call "
      "that "
      "could be had ({}), so that the package compiles nothing and does not run yet.\n",
      d.design, d.version == "v0" ? "base version" : d.version, d.summary, program, d.arch,
      replace_all(printable(because.wrong), "\n", " "));
  text += fmt::format(
      "\n## To fill in before it runs\n\n1. `{}` beside this file: each FILL_IN is an argument of `{}`; what "
      "is "
      "legal there stands behind it.\n2. `{}`: the call is made without a GPU, options that the file "
      "declares "
      "become parameters, operator and roles are inferred; what cannot be is named in the README that this "
      "writes.\n",
      std::filesystem::path(open.call).filename().string(), open.function, open.again);
  if (!others.empty())
    text += fmt::format("\nOther functions of the program that launch: {}.\n", join(others, ", "));
  return text;
}

/// The call file for a CuTe DSL program.
bool take_python_call(OpenPackage& open, const std::string& path, const std::string& program,
                      std::vector<std::string>& others, const Context& context) {
  auto functions = callable_functions(path, context.files);
  if (!functions || functions->empty()) return false;
  open.function = functions->front().name;
  for (std::size_t i = 1; i < functions->size(); ++i)
    others.push_back(fmt::format("`{}` (line {})", (*functions)[i].name, (*functions)[i].line));
  open.files.emplace_back("call.py", call_program(program, functions->front(), open.call, open.again));
  return true;
}

/// How a call file in a package's folder includes a program: from the headers of the checkout, from the
/// repository, or where it lies.
std::string included_as(const std::string& program) {
  constexpr std::string_view checkout = "$CUTLASS_DIR/";
  if (program.starts_with(checkout)) return "../" + program.substr(checkout.size());
  return program.starts_with("/") ? program : "../../../../../" + program;
}

bool take_cpp_call(OpenPackage& open, const std::string& path, const std::string& program,
                   const Context& context) {
  auto text = context.files.read(path, max_source_bytes);
  if (!text) return false;
  const auto callee = host_callee(std::move(*text));
  if (!callee) return false;
  open.function = callee->function.qualified;
  open.files.emplace_back("call.cu", host_call_program(program, included_as(program), *callee, open.again));
  return true;
}

/// The call would be refused for the same: the DSL's words where an operation is not for the architecture.
bool wants_other_architecture(const Error& because) {
  return because.wrong.find("expects arch to be") != std::string::npos;
}

std::string command_again(const kernel::PackageDescription& d, const std::string& call,
                          const Context& context) {
  std::vector<std::string> words = {context.program, "import",   call,    "--layer",
                                    d.layer,         "--design", d.design};
  if (d.version != "v0") words.insert(words.end(), {"--version", d.version.substr(1)});
  words.insert(words.end(), {"--arch", d.arch, "--replace"});
  return shell_line(words);
}

}  // namespace

Result<OpenPackage> open_package(kernel::PackageDescription d, const std::string& path, const Error& because,
                                 const ImportCheck& importable, const Context& context) {
  const std::string program = d.program;
  const bool cpp = is_cpp_program(program);
  if (because.kind == ErrorKind::unavailable || !d.fixed_flags.empty() ||
      program.starts_with("kernels/cute_") || wants_other_architecture(because))
    return because;
  OpenPackage open;
  open.call = package_folder(d) + (cpp ? "/call.cu" : "/call.py");
  open.again = command_again(d, open.call, context);
  std::vector<std::string> others;
  if (!(cpp ? take_cpp_call(open, path, program, context)
            : take_python_call(open, path, program, others, context)))
    return because;
  if (!cpp && importable)
    if (auto status = importable(path); !status) return status.error();
  if (d.summary.empty()) d.summary = open.function;
  d.program = open.call;
  d.program_sha256.clear();  // it is there to be changed
  d.configurations.emplace_back();
  d.undetermined.push_back(
      fmt::format("the call of {}: what is FILL_IN in {}; then {}", open.function, open.call, open.again));
  open.description = std::move(d);
  open.files.emplace_back("README.md", open_readme(open, because, program, others));
  return open;
}

}  // namespace cutelab::cli
