#include "cli/import_write.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "base/text.h"
#include "cli/exports.h"
#include "cli/host_exports.h"
#include "kernel/call_text.h"
#include "kernel/fill_in.h"

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

std::string folder_name(const kernel::PackageDescription& d) {
  return d.version == "v0" ? d.design : d.design + "_" + d.version;
}

std::string bullets(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = "\n## " + title + "\n\n";
  for (const std::string& line : lines) text += "- " + replace_all(printable(line), "\n", " ") + "\n";
  return text;
}

std::string parameter_lines(const std::vector<kernel::ImportedParameter>& parameters) {
  std::string text = "\n| parameter | default | option of the program | meaning |\n|---|---|---|---|\n";
  for (const auto& p : parameters)
    text += fmt::format("| `--{}` | {} | `{}`{} | {} |\n", p.name, p.value, p.option,
                        p.component < 0 ? "" : fmt::format(", component {}", p.component),
                        replace_all(printable(p.meaning), "|", "\\|") +
                            (p.multiple_of > 1 ? fmt::format("; multiples of {}", p.multiple_of) : ""));
  return text;
}

/// The section on what is open: each point, and for the operator what is legal where.
std::string to_fill_in(const kernel::PackageDescription& d, const kernel::ExportedCall& call) {
  if (d.undetermined.empty()) return "";
  return bullets("To fill in before it runs", d.undetermined) + "\nIn `package.json` beside this file:\n\n" +
         join(kernel::fill_in_lines(d, call), "\n") + "\n";
}

Error cannot_write(const std::string& what, const std::string& folder) {
  return Error{ErrorKind::input, "write a kernel package", what, folder,
               "check the folder's permissions and free space"};
}

}  // namespace

std::string package_folder(const kernel::PackageDescription& d) {
  return fmt::format("kernels/{}/{}/{}/{}", is_cpp_program(d.program) ? "cute_cpp" : "cute_python", d.layer,
                     d.design, folder_name(d));
}

Status check_package_name(const kernel::PackageDescription& d, bool replace, Context& context) {
  const std::string asked = fmt::format("import as {} {} of layer {}", d.design, d.version, d.layer);
  for (const auto& [flag, name] : {std::pair{"--design", d.design}, std::pair{"--layer", d.layer}})
    if (!is_plain_name(name))
      return Error{ErrorKind::usage, asked, fmt::format("{} does not take '{}'", flag, printable(name)), "",
                   "a name of small letters, digits and underscores, a letter first"};
  for (const auto& package : every_package(context)) {
    if (package.design != d.design || package.version != d.version) continue;
    if (replace && package.folder == package_folder(d)) continue;
    return Error{ErrorKind::usage, asked,
                 fmt::format("there is a {} package of this name and version", package.language),
                 package.folder,
                 package.folder == package_folder(d) ? "--replace writes it anew, --version makes another"
                                                     : "choose another --design or --version"};
  }
  const std::string folder = context.source_root + "/" + package_folder(d);
  std::error_code failed;
  if (!replace && fs::exists(folder, failed))
    return Error{ErrorKind::usage, asked, "the folder is there", folder,
                 "--replace writes it anew, --version makes another"};
  return {};
}

std::string compiled_with(const kernel::PackageDescription& d) {
  return (is_cpp_program(d.program) ? "" : "CuTe DSL ") + d.dsl_version;
}

std::string package_readme(const kernel::PackageDescription& d, const kernel::Exported& exported) {
  const auto& call = exported.call;
  std::string text = fmt::format(
      "# {}, {}\n\n{}\n\nImported from `{}` (compiled with {} for {}); {}. {}\n", d.design,
      d.version == "v0" ? "base version" : d.version, d.summary, d.program, compiled_with(d), d.arch,
      d.program.starts_with(package_folder(d) + "/source/") ? "its files were copied at import"
                                                            : "the source stays where it is",
      is_cpp_program(d.program) ? "A unit made of it (its main renamed) calls its host function; the unit "
                                  "lies beside the compiled code."
                                : "The kernel runs through the object that the DSL exports, without Python.");
  text += to_fill_in(d, call);
  text += "\n## Problem\n";
  text += d.parameters.empty() ? "\nThe program takes no other problem than its own.\n"
                               : parameter_lines(d.parameters);
  text += bullets("Tensors of the call", kernel::tensor_lines(d.op, call, true));
  if (!d.configuration.empty()) {
    text += "\n## Configuration\n" + parameter_lines(d.configuration);
    int legal = 0;
    for (const auto& c : d.configurations) legal += c.rejected_because.empty();
    text += fmt::format(
        "\n{} of {} settings that were tried give a kernel; `--dry-run` lists them with the program's "
        "reasons.\n",
        legal, d.configurations.size());
  }
  text += bullets(
      "Found", {fmt::format("the program compiles `{}`", call.callee.empty() ? call.function : call.callee),
                fmt::format("kernels: {}", call.symbols.size()),
                fmt::format("fixed flags: {}", d.fixed_flags.empty() ? "none" : join(d.fixed_flags, " "))});
  text += bullets("Assumed; the check holds the result against it", d.assumed);
  text += bullets("Options that are no parameters", d.passed_over);
  const std::string version = d.version == "v0" ? "" : " " + d.version;
  text += fmt::format(
      "\n## Try\n\n    cutelab kernel {0}{1} --dry-run                      parameters, configurations, "
      "launch\n"
      "    cutelab kernel {0}{1} --prof_type=compiled           registers, shared memory, instruction mix; "
      "no GPU\n"
      "    cutelab kernel {0}{1} --check --prof_type=event      on a GPU\n",
      d.design, version);
  return text;
}

Status write_package(const kernel::PackageDescription& d, const std::vector<PackageFile>& files,
                     const Context& context) {
  const fs::path folder = context.source_root + "/" + package_folder(d);
  // Aside, but not below kernels/: a half-written package must never be found there.
  const fs::path aside = fmt::format("{}/build/.import-{}-{}", context.source_root, d.design, ::getpid());
  std::error_code failed;
  fs::remove_all(aside, failed);
  fs::create_directories(aside, failed);
  if (failed) return cannot_write(failed.message(), aside.string());
  auto status = write_file_atomically((aside / "package.json").string(), kernel::to_json(d));
  for (const auto& [name, content] : files) {
    if (status) fs::create_directories((aside / name).parent_path(), failed);
    if (status) status = write_file_atomically((aside / name).string(), content);
  }
  const bool made_layer = !fs::exists(folder.parent_path().parent_path(), failed);
  const bool made_design = !fs::exists(folder.parent_path(), failed);
  if (status) {
    fs::create_directories(folder.parent_path(), failed);
    const fs::path old = aside.string() + ".old";
    const bool replaces = !failed && fs::exists(folder, failed);
    if (replaces)  // what somebody put beside these files stays
      fs::copy(folder, aside, fs::copy_options::recursive | fs::copy_options::skip_existing, failed);
    if (replaces && !failed) fs::rename(folder, old, failed);
    if (!failed) fs::rename(aside, folder, failed);
    if (failed) {
      status = cannot_write(failed.message(), folder.string());
      std::error_code ignored;
      if (replaces) fs::rename(old, folder, ignored);
      if (made_design) fs::remove(folder.parent_path(), ignored);
      if (made_layer) fs::remove(folder.parent_path().parent_path(), ignored);
    }
    std::error_code ignored;
    fs::remove_all(old, ignored);
  }
  fs::remove_all(aside, failed);
  return status;
}

std::string without_machines_paths(const std::string& text, const Context& context) {
  std::vector<std::string> lines;
  for (const auto line : split(text, '\n')) {
    const auto bar = line.find('|');  // "357 |   source", "    |   ^^^"
    if (bar == std::string::npos || line.substr(0, bar).find_first_not_of(" 0123456789") != std::string::npos)
      lines.emplace_back(line);
  }
  static const std::regex run_folder("[^ '\"()\\[]*/cutelab-capture-[A-Za-z0-9]+");
  std::string plain =
      std::regex_replace(std::string(trim(join(lines, "\n"))), run_folder, "(a folder of the run)");
  std::error_code failed;
  if (const auto checkout = context.environment.get("CUTLASS_DIR"); checkout && !checkout->empty())
    for (const std::string& folder : {*checkout, fs::weakly_canonical(*checkout, failed).string()})
      plain = replace_all(plain, folder + "/", "$CUTLASS_DIR/");
  return replace_all(plain, fs::absolute(context.source_root).lexically_normal().string() + "/", "");
}

}  // namespace cutelab::cli
