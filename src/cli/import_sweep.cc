#include "cli/import_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <ostream>

#include "base/text.h"
#include "capture/sweep.h"
#include "cli/captures.h"
#include "cli/exports.h"
#include "cli/host_exports.h"
#include "cli/import_open.h"
#include "cli/import_operator.h"
#include "cli/import_uses.h"
#include "cli/import_write.h"
#include "corpus/checkout.h"
#include "corpus/index.h"
#include "kernel/imported_plan.h"
#include "render/columns.h"
#include "render/table.h"

namespace cutelab::cli {
namespace {

constexpr const char* no_user = "no program of the folder imports it";

bool uses_dsl(const corpus::FileFacts& file) {
  return !file.kernels.empty() || !file.jits.empty() ||
         std::any_of(file.imports.begin(), file.imports.end(), [](const auto& module) {
           return module.name == "cutlass" || module.name.starts_with("cutlass.");
         });
}

/// Files that import a helper by its module's name, for the reader who wants to run it.
std::string who_runs(const corpus::FileFacts& helper, const std::vector<corpus::FileFacts>& files) {
  if (!uses_dsl(helper)) return "holds no code of the DSL";
  const std::filesystem::path path(helper.path);
  const std::string module = (path.stem() == "__init__" ? path.parent_path() : path).stem().string();
  std::vector<std::string> users;
  for (const auto& file : files)
    for (const auto& import : file.imports)
      if (file.has_main && (import.name == module || import.name.ends_with("." + module))) {
        users.push_back(std::filesystem::path(file.path).filename().string());
        break;
      }
  std::sort(users.begin(), users.end());
  users.erase(std::unique(users.begin(), users.end()), users.end());
  if (users.empty()) return no_user;
  const std::size_t more = users.size() > 3 ? users.size() - 3 : 0;
  users.resize(users.size() - more);
  return "run by " + join(users, ", ") + (more ? fmt::format(" and {} more", more) : "");
}

/// Of a program without a call that could be had: what the package that an import writes asks for.
std::string what_to_fill_in(const std::string& path, const Error& because, const ImportCheck& importable,
                            Context& context, std::mutex& reading) {
  const std::lock_guard<std::mutex> alone(reading);
  kernel::PackageDescription d;
  d.program = program_name(path, context);
  d.version = "v0";
  auto open = open_package(std::move(d), path, because, importable, context);
  return open ? "; a package to fill in: the arguments of " + open->function : "";
}

SweptImport attempt(SweptImport one, const std::string& path, const ImportSweep& asked,
                    const kernel::Exporter& exporter, Context& context, std::mutex& reading) {
  const bool cpp = is_cpp_program(path);
  if (asked.arch.empty()) {
    const std::lock_guard<std::mutex> alone(reading);
    auto source = cpp ? context.files.read(path, max_source_bytes) : Result<std::string>(std::string());
    auto arch = target_arch(cpp && source ? cpp_target(*source) : "", context, path);
    one.arch = arch ? *arch : "sm_90a";
  }
  auto made = exporter.get({program_name(path, context), "", {}, one.arch, asked.arch.empty()});
  if (!made) {
    one.end = "not importable";
    const auto importable = [&](const std::string& file) {
      return asked.importable ? asked.importable(file, one.arch) : Status();
    };
    one.because = without_machines_paths(made.error().wrong, context) +
                  what_to_fill_in(path, made.error(), importable, context, reading);
    return one;
  }
  one.arch = made->arch;
  one.dsl_version = made->dsl_version;
  note_uses(*made, context.files);
  const auto guess = guess_operator(made->call, {}, words_of_call(path, made->call), "");
  std::vector<std::string> open = guess.undetermined;
  for (std::string& point : kernel::open_points(made->call)) open.push_back(std::move(point));
  one.end = open.empty() ? "imported" : "compiled only";
  one.because = open.empty() ? guess.op.name : join(open, "; ");
  return one;
}

/// What is attempted, and below which folder it lies.
struct SweptFile {
  corpus::FileFacts facts;
  std::string root;
  std::string shown;   ///< its path in the table
  std::string helper;  ///< why it is not attempted; empty: it is
};

bool includes_cute(const corpus::FileFacts& file) {
  return file.path.ends_with(".cu") &&
         std::any_of(file.imports.begin(), file.imports.end(),
                     [](const auto& included) { return included.name.starts_with("cute/"); });
}

Result<std::vector<corpus::FileFacts>> files_below(const std::string& root, Context& context) {
  auto signals = corpus::SignalTable::load(context.files, context.source_root + "/data");
  if (!signals) return signals.error();
  corpus::IndexReport report;
  auto index = corpus::open_index(context.files, *signals, root, context.environment.cache_home(), report);
  if (!index) return index.error();
  return std::move(index->files);
}

/// CuTe DSL files below the examples of a checkout, or below the folder; CuTe C++ ones below all of its
/// examples.
Result<std::vector<SweptFile>> candidates_of(const ImportSweep& asked, Context& context) {
  const std::string inner = corpus::dsl_example_root(context.files, asked.folder);
  const std::string folder = std::filesystem::absolute(asked.folder).string();
  const std::string root = inner.empty() ? folder : folder + "/" + inner;
  const std::string all_examples = inner.empty() ? folder : folder + "/examples";
  auto files = files_below(root, context);
  if (!files) return files.error();
  std::vector<SweptFile> found;
  for (const auto& file : *files) {
    if (!file.path.ends_with(".py") || file.path.find(asked.only) == std::string::npos) continue;
    SweptFile candidate{file, root, file.path, ""};
    if (!file.has_main) candidate.helper = who_runs(file, *files);
    found.push_back(std::move(candidate));
  }
  auto others = all_examples == root ? std::move(files) : files_below(all_examples, context);
  if (!others) return others.error();
  for (const auto& file : *others) {
    const std::string shown = all_examples == root ? file.path : "examples/" + file.path;
    if (includes_cute(file) && shown.find(asked.only) != std::string::npos)
      found.push_back({file, all_examples, shown, ""});
  }
  return found;
}

/// A file that no other one runs may be a program without a guard around its main.
SweptImport swept_one(const SweptFile& candidate, const ImportSweep& asked, const kernel::Exporter& exporter,
                      Context& context, std::mutex& reading) {
  SweptImport one{candidate.shown, asked.arch, "", "", ""};
  const bool may_run = candidate.helper.empty() || candidate.helper == no_user;
  if (may_run)
    one = attempt(std::move(one), candidate.root + "/" + candidate.facts.path, asked, exporter, context,
                  reading);
  if (!may_run || (one.end == "not importable" && !candidate.helper.empty())) {
    one.end = "helper";
    one.because = candidate.helper;
  }
  return one;
}

}  // namespace

Result<std::vector<SweptImport>> sweep_imports(const ImportSweep& asked, const kernel::Exporter& exporter,
                                               Context& context,
                                               const std::function<void(const SweptImport&)>& told) {
  auto candidates = candidates_of(asked, context);
  if (!candidates) return candidates.error();
  if (candidates->empty())
    return Error{ErrorKind::input, "import --sweep " + asked.folder,
                 "there is no CuTe DSL and no CuTe C++ program",
                 std::filesystem::absolute(asked.folder).string(),
                 "name a CUTLASS checkout or a folder of such programs"};
  std::vector<SweptImport> swept(candidates->size());
  std::mutex reading, telling;
  capture::run_all(candidates->size(), asked.jobs, [&](std::size_t i) {
    swept[i] = swept_one((*candidates)[i], asked, exporter, context, reading);
    const std::lock_guard<std::mutex> alone(telling);
    told(swept[i]);
  });
  return swept;
}

namespace {

std::string totals_of(const std::vector<SweptImport>& swept) {
  std::map<std::string, int> totals;
  for (const auto& one : swept) ++totals[one.end];
  std::vector<std::string> words;
  for (const auto& [end, count] : totals) words.push_back(fmt::format("{} {}", count, end));
  return fmt::format("{} files: {}", swept.size(), join(words, ", "));
}

/// One line of at most `most` bytes, whole characters.
std::string shortened(const std::string& text, std::size_t most) {
  std::string line = replace_all(replace_all(printable(text), "\n", " "), "|", "\\|");
  if (line.size() <= most) return line;
  while (most > 0 && (static_cast<unsigned char>(line[most]) & 0xc0) == 0x80) --most;
  return line.substr(0, most) + "…";
}

}  // namespace

std::string sweep_report(const std::vector<SweptImport>& swept, int width) {
  render::Table table{{{"File"}, {"Ends as"}, {"Why"}}, {}};
  for (const auto& one : swept) table.rows.push_back({one.file, one.end, shortened(one.because, 160)});
  return render::fitted(table, width) + "\n" + totals_of(swept) + "\n";
}

std::string sweep_page(const std::vector<SweptImport>& swept) {
  std::string version;
  for (const auto& one : swept)
    if (version.empty() && one.file.ends_with(".py")) version = one.dsl_version;
  std::string page = fmt::format(
      "# A checkout, imported\n\nWritten by `cutelab import --sweep $CUTLASS_DIR --report "
      "docs/imports/sweep.md`, CuTe "
      "DSL {}, each program with the options it has by\ndefault. Files in CUDA C++ are those that include "
      "headers of CuTe themselves. {}.\n",
      version, totals_of(swept));
  const std::pair<const char*, const char*> ends[] = {
      {"imported",
       "Exported, and what they compute has a reference: `cutelab import FILE` makes a package that "
       "runs and is checked."},
      {"compiled only",
       "Exported: a package compiles and is looked into, and runs when what stands here is filled in."},
      {"helper", "Hold no main of their own."},
      {"not importable", "No call of a kernel of their own could be exported."}};
  for (const auto& [end, meaning] : ends) {
    render::Table table{{{"File"}, {"Architecture"}, {end == std::string("imported") ? "Operator" : "Why"}},
                        {}};
    for (const auto& one : swept)
      if (one.end == end) table.rows.push_back({one.file, one.arch, shortened(one.because, 240)});
    if (!table.rows.empty())
      page +=
          fmt::format("\n## {}: {}\n\n{}\n\n{}", end, table.rows.size(), meaning, render::markdown(table));
  }
  return page;
}

}  // namespace cutelab::cli
