#include "cli/import_open.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/process.h"
#include "base/text.h"
#include "cli/exports.h"
#include "cli/host_exports.h"
#include "cli/import_call.h"

namespace cutelab::cli {
namespace {

std::string open_readme(const OpenPackage& open, const Error& because, const std::string& program,
                        const std::vector<std::string>& others) {
  const auto& d = open.description;
  std::string text = fmt::format(
      "# {}, {}\n\n{}\n\nImported from `{}`, for {}; the source stays where it is. Its main makes no call that "
      "could be had ({}), so that the package compiles nothing and does not run yet.\n",
      d.design, d.version == "v0" ? "base version" : d.version, d.summary, program, d.arch,
      replace_all(printable(because.wrong), "\n", " "));
  text += fmt::format(
      "\n## To fill in before it runs\n\n1. `{}` beside this file: each FILL_IN is an argument of `{}`; what is "
      "legal there stands behind it.\n2. `{}`: the call is made without a GPU, options that the file declares "
      "become parameters, operator and roles are inferred; what cannot be is named in the README that this "
      "writes.\n",
      std::filesystem::path(open.call).filename().string(), open.function, open.again);
  if (!others.empty())
    text += fmt::format("\nOther functions of the program that launch: {}.\n", join(others, ", "));
  return text;
}

}  // namespace

Result<OpenPackage> open_package(kernel::PackageDescription d, const std::string& path, const Error& because,
                                 const Context& context) {
  const std::string program = d.program;
  if (because.kind == ErrorKind::unavailable || !d.fixed_flags.empty() ||
      program.starts_with("kernels/cute_") || is_cpp_program(program))
    return because;
  auto functions = callable_functions(path, context.files);
  if (!functions || functions->empty()) return because;
  OpenPackage open;
  const CallableFunction& function = functions->front();
  open.function = function.name;
  open.call = package_folder(d) + "/call.py";
  std::vector<std::string> words = {context.program, "import", open.call, "--layer", d.layer,
                                    "--design", d.design};
  if (d.version != "v0") words.insert(words.end(), {"--version", d.version.substr(1)});
  words.insert(words.end(), {"--arch", d.arch, "--replace"});
  open.again = shell_line(words);
  if (d.summary.empty()) d.summary = function.name;
  d.program = open.call;
  d.program_sha256.clear();  // it is there to be changed
  d.configurations.emplace_back();
  d.undetermined.push_back(fmt::format("the call of {}: the arguments that are FILL_IN in {}; then {}",
                                       function.name, open.call, open.again));
  open.description = std::move(d);
  std::vector<std::string> others;
  for (std::size_t i = 1; i < functions->size(); ++i)
    others.push_back(fmt::format("`{}` (line {})", (*functions)[i].name, (*functions)[i].line));
  open.files = {{"call.py", call_program(program, function, open.call, open.again)},
                {"README.md", open_readme(open, because, program, others)}};
  return open;
}

}  // namespace cutelab::cli
