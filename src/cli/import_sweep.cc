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
#include "cli/import_operator.h"
#include "cli/import_uses.h"
#include "cli/import_write.h"
#include "corpus/checkout.h"
#include "corpus/index.h"
#include "render/table.h"

namespace cutelab::cli {
namespace {

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
  if (users.empty()) return "no program of the folder imports it";
  const std::size_t more = users.size() > 3 ? users.size() - 3 : 0;
  users.resize(users.size() - more);
  return "run by " + join(users, ", ") + (more ? fmt::format(" and {} more", more) : "");
}

SweptImport attempt(SweptImport one, const std::string& path, const ImportSweep& asked,
                    const kernel::Exporter& exporter, Context& context, std::mutex& reading) {
  if (asked.arch.empty()) {
    const std::lock_guard<std::mutex> alone(reading);
    auto arch = target_arch("", context, path);
    one.arch = arch ? *arch : "sm_90a";
  }
  auto made = exporter.get({program_name(path, context), "", {}, one.arch, asked.arch.empty()});
  if (!made) {
    one.end = "not importable";
    one.because = without_machines_paths(made.error().wrong, context);
    return one;
  }
  one.arch = made->arch;
  one.dsl_version = made->dsl_version;
  note_uses(*made, context.files);
  const auto guess = guess_operator(made->call, {}, words_of_call(path, made->call), "");
  std::vector<std::string> open = guess.undetermined;
  open.insert(open.end(), made->call.undetermined.begin(), made->call.undetermined.end());
  one.end = open.empty() ? "imported" : "compiled only";
  one.because = open.empty() ? guess.op.name : join(open, "; ");
  return one;
}

}  // namespace

Result<std::vector<SweptImport>> sweep_imports(const ImportSweep& asked, const kernel::Exporter& exporter,
                                               Context& context,
                                               const std::function<void(const SweptImport&)>& told) {
  const std::string inner = corpus::dsl_example_root(context.files, asked.folder);
  const std::string root =
      std::filesystem::absolute(inner.empty() ? asked.folder : asked.folder + "/" + inner).string();
  auto signals = corpus::SignalTable::load(context.files, context.source_root + "/data");
  if (!signals) return signals.error();
  corpus::IndexReport report;
  auto index = corpus::open_index(context.files, *signals, root, context.environment.cache_home(), report);
  if (!index) return index.error();
  std::vector<const corpus::FileFacts*> files;
  for (const auto& file : index->files)
    if (file.path.ends_with(".py") && file.path.find(asked.only) != std::string::npos) files.push_back(&file);
  if (files.empty())
    return Error{ErrorKind::input, "import --sweep " + asked.folder, "there is no CuTe DSL program", root,
                 "name a CUTLASS checkout or a folder of such programs"};
  std::vector<SweptImport> swept(files.size());
  std::mutex reading, telling;
  capture::run_all(files.size(), asked.jobs, [&](std::size_t i) {
    SweptImport one{files[i]->path, asked.arch, "", "", ""};
    if (files[i]->has_main) {
      one = attempt(std::move(one), root + "/" + files[i]->path, asked, exporter, context, reading);
    } else {
      one.end = "helper";
      one.because = who_runs(*files[i], index->files);
    }
    swept[i] = std::move(one);
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

std::string sweep_report(const std::vector<SweptImport>& swept) {
  render::Table table{{{"File"}, {"Ends as"}, {"Why"}}, {}};
  for (const auto& one : swept) table.rows.push_back({one.file, one.end, shortened(one.because, 160)});
  return render::markdown(table) + "\n" + totals_of(swept) + "\n";
}

std::string sweep_page(const std::vector<SweptImport>& swept) {
  std::string version;
  for (const auto& one : swept)
    if (version.empty()) version = one.dsl_version;
  std::string page = fmt::format(
      "# A checkout, imported\n\nWritten by `cutelab import --sweep $CUTLASS_DIR --report "
      "docs/imports/sweep.md`, CuTe "
      "DSL {}, each program with the options it has by\ndefault. {}.\n",
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
