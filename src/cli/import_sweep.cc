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
  const std::string module = std::filesystem::path(helper.path).stem().string();
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
  auto made = exporter.get({path, "", {}, one.arch});
  if (!made) {
    one.end = "not importable";
    one.because = made.error().wrong;
    return one;
  }
  const std::string words = std::filesystem::path(path).stem().string() + " " + made->call.callee;
  const auto guess = guess_operator(made->call, {}, words, "");
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
    if (file.path.ends_with(".py") && uses_dsl(file) && file.path.find(asked.only) != std::string::npos)
      files.push_back(&file);
  if (files.empty())
    return Error{ErrorKind::input, "import --sweep " + asked.folder, "there is no CuTe DSL program", root,
                 "name a CUTLASS checkout or a folder of such programs"};
  std::vector<SweptImport> swept(files.size());
  std::mutex reading, telling;
  capture::run_all(files.size(), asked.jobs, [&](std::size_t i) {
    SweptImport one{files[i]->path, asked.arch, "", ""};
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

std::string sweep_report(const std::vector<SweptImport>& swept) {
  render::Table table{{{"File"}, {"Ends as"}, {"Why"}}, {}};
  std::map<std::string, int> totals;
  for (const auto& one : swept) {
    constexpr std::size_t most = 160;
    const std::string because = replace_all(printable(one.because), "\n", " ");
    table.rows.push_back({one.file, one.end, because.substr(0, most)});
    ++totals[one.end];
  }
  std::vector<std::string> words;
  for (const auto& [end, count] : totals) words.push_back(fmt::format("{} {}", count, end));
  return render::markdown(table) + fmt::format("\n{} files: {}\n", swept.size(), join(words, ", "));
}

}  // namespace cutelab::cli
