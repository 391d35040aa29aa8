#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/counted.h"
#include "base/text.h"
#include "cli/knowledge_world.h"
#include "cli/verbs.h"
#include "knowledge/document.h"
#include "profile/store.h"

namespace cutelab::cli {
namespace {
using knowledge::Change;
using knowledge::DocumentPlan;
using knowledge::Problem;

int errors_of(const DocumentPlan& plan) {
  int errors = 0;
  for (const Problem& problem : plan.problems) errors += problem.severity == Problem::Severity::error ? 1 : 0;
  return errors;
}

std::string as_json(const DocumentPlan& plan, const std::string& folder, bool written) {
  nlohmann::ordered_json json = {{"schema", "cutelab.document"},
                                 {"schema_version", 1},
                                 {"folder", folder},
                                 {"entries", plan.entries},
                                 {"drafts", plan.drafts},
                                 {"evidence_lines", plan.evidence_lines},
                                 {"written", written},
                                 {"changes", nlohmann::ordered_json::array()},
                                 {"problems", nlohmann::ordered_json::array()}};
  for (const Change& change : plan.changes)
    json["changes"].push_back({{"path", change.path}, {"what", change.what}});
  for (const Problem& problem : plan.problems)
    json["problems"].push_back(
        {{"severity", problem.severity == Problem::Severity::error ? "error" : "warning"},
         {"file", problem.path},
         {"line", problem.line},
         {"what", problem.what},
         {"remedy", problem.remedy}});
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print(const DocumentPlan& plan, const std::string& folder, bool check_only, const Context& context) {
  for (const Problem& problem : plan.problems)
    context.out << as_called(printable(problem.text()), context) << "\n";
  for (const Change& change : plan.changes)
    context.out << fmt::format("{} {}: {}\n", check_only ? "out of date" : "wrote", change.path, change.what);
  context.out << fmt::format("{}: {}, {}{}, {}\n", folder, counted(plan.entries, "entry", "entries"),
                             plan.drafts ? counted(plan.drafts, "draft") + ", " : "",
                             counted(plan.evidence_lines, "evidence line"),
                             counted(errors_of(plan), "error"));
  if (check_only && !plan.changes.empty())
    context.out << as_called(
        fmt::format("`cutelab document{}` brings up to date what can be generated\n",
                    folder == default_knowledge_folder(context) ? "" : " " + printable(folder)),
        context);
}

class DocumentVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec{"document",   "check the knowledge base, regenerate its catalogs, write development logs",
                  "6 DOCUMENT", {},
                  {},           {},
                  false};
    spec.positionals = {{"DIR", "the knowledge base [docs/knowledge]; or `devlog KERNEL`", 0, 2}};
    spec.flags = {
        {"--check", "", "write nothing; exit 1 if anything is wrong or out of date", "", false, {}},
        {"--corpus", "DIR", "evidence paths may start here too", "", true, {}},
        {"--run",
         "FILE",
         "a run as JSON: for performance evidence; for devlog instead of the runs kept here",
         "",
         true,
         {}},
        {"-o,--output", "DIR", "the knowledge base that devlog writes to", "docs/knowledge", false, {}},
        {"--json", "", "what was found and written, as JSON", "", false, {}}};
    spec.examples = {"cutelab document", "cutelab document --check", "cutelab document devlog rmsnorm"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    const auto& words = arguments.positionals();
    if (!words.empty() && words[0] == "devlog") return devlog(arguments, context);
    if (words.size() > 1)
      return Error{ErrorKind::usage, "document",
                   fmt::format("'{}' is one argument too many", printable(words[1])), "",
                   "cutelab document [DIR], or: cutelab document devlog KERNEL"};
    const std::string folder = words.empty() ? default_knowledge_folder(context) : words[0];
    if (!context.files.status(folder))
      return Error{ErrorKind::input, "document " + printable(folder), "there is no such folder", "",
                   "name the folder of the knowledge base; `cutelab extract` starts one"};
    auto library = knowledge::load_library(folder, context.files);
    if (!library) return library.error();
    auto world = check_world(context, folder, arguments.all("--corpus"), arguments.all("--run"));
    if (!world) return world.error();
    const DocumentPlan plan = knowledge::plan_document(*library, *world, context.files);
    const bool check_only = arguments.has("--check");
    if (!check_only)
      for (const Change& change : plan.changes)
        if (auto status = write_file_atomically(change.path, change.content); !status) return status.error();
    if (arguments.has("--json"))
      context.out << as_json(plan, library->folder, !check_only);
    else
      print(plan, library->folder, check_only, context);
    return errors_of(plan) > 0 || (check_only && !plan.changes.empty()) ? ExitCode::failed_check
                                                                        : ExitCode::ok;
  }

 private:
  /// The runs that `cutelab kernel` kept, oldest first.
  static Result<std::vector<evidence::Run>> kept_runs(const std::string& kernel, const Context& context) {
    auto store = profile::Store::open(context.environment.data_home() + "/runs.db");
    if (!store) return store.error();
    auto stored = store->list({kernel, "", std::numeric_limits<int>::max()});
    if (!stored) return stored.error();
    std::vector<evidence::Run> runs;
    for (auto it = stored->rbegin(); it != stored->rend(); ++it) runs.push_back(std::move(it->run));
    if (runs.empty())
      return Error{ErrorKind::input, "document devlog " + printable(kernel), "no run of it is kept", "",
                   fmt::format("cutelab kernel {} keeps one; or add --run FILE.json", printable(kernel))};
    return runs;
  }

  static Result<ExitCode> devlog(const Arguments& arguments, Context& context) {
    const auto& words = arguments.positionals();
    if (words.size() < 2 || !knowledge::is_kebab(knowledge::to_kebab(words[1])))
      return Error{ErrorKind::usage, "document devlog", "no kernel named", "",
                   "cutelab document devlog rmsnorm"};
    auto runs =
        arguments.has("--run") ? load_runs(context, arguments.all("--run")) : kept_runs(words[1], context);
    if (!runs) return runs.error();
    for (const evidence::Run& run : *runs)
      if (run.kernel != words[1])
        return Error{ErrorKind::input, "document devlog " + printable(words[1]),
                     fmt::format("a run is of kernel '{}'", printable(run.kernel)), "",
                     "give runs of that kernel only"};
    const std::string path = fmt::format("{}/devlog/{}.md", arguments.get("--output", "docs/knowledge"),
                                         knowledge::to_kebab(words[1]));
    std::string before;
    if (context.files.status(path)) {
      auto text = context.files.read(path, knowledge::max_entry_bytes);
      if (!text) return text.error();
      before = *text;
    }
    const std::string after = knowledge::with_runs(before, words[1], *runs);
    if (after != before)
      if (auto status = write_file_atomically(path, after); !status) return status.error();
    context.out << fmt::format("{} {}: {}\n", after == before ? "unchanged" : "wrote", path,
                               counted(static_cast<long long>(runs->size()), "run"));
    return ExitCode::ok;
  }
};

}  // namespace

std::unique_ptr<Verb> make_document_verb() { return std::make_unique<DocumentVerb>(); }

}  // namespace cutelab::cli
