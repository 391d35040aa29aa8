#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/verbs.h"
#include "evidence/json.h"
#include "profile/store.h"
#include "report/run_view.h"

namespace cutelab::cli {
namespace {

class RunsVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec;
    spec.name = "runs";
    spec.summary = "runs that were kept, with their provenance";
    spec.positionals = {{"ACTION", "list or show", 1, 1}, {"RUN", "a run's number, for show", 0, 1}};
    spec.flags = {{"--kernel", "DESIGN", "only runs of this kernel", "", false, {}},
                  {"--device", "NAME", "only runs on this device", "", false, {}},
                  {"--most", "N", "at most so many, the newest", "50", false, {}},
                  {"--json", "", "as JSON", "", false, {}}};
    spec.examples = {"cutelab runs list --kernel rmsnorm", "cutelab runs show 7 --json"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    auto store = profile::Store::open(context.environment.data_home() + "/runs.db");
    if (!store) return store.error();
    const auto& words = arguments.positionals();
    if (words[0] == "list") return list(*store, arguments, context);
    if (words[0] == "show") return show(*store, words, arguments, context);
    return Error{ErrorKind::usage, "runs " + words[0], "no such action", "", "actions: list, show"};
  }

 private:
  static Result<ExitCode> list(const profile::Store& store, const Arguments& arguments, Context& context) {
    const auto most = parse_integer(arguments.get("--most", "50"));
    if (!most || *most < 1)
      return Error{ErrorKind::usage, "runs list", "--most wants a number from 1", "", "cutelab runs --help"};
    auto runs = store.list({arguments.get("--kernel"), arguments.get("--device"), static_cast<int>(*most)});
    if (!runs) return runs.error();
    if (arguments.has("--json")) {
      auto all = nlohmann::ordered_json::array();
      for (const auto& stored : *runs)
        all.push_back({{"id", stored.id}, {"run", evidence::to_json(stored.run)}});
      context.out << all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
      return ExitCode::ok;
    }
    std::vector<std::pair<std::int64_t, evidence::Run>> rows;
    for (const auto& stored : *runs) rows.emplace_back(stored.id, stored.run);
    context.out << (rows.empty() ? "no runs are kept yet: `cutelab kernel …` keeps one\n"
                                 : report::run_list(rows));
    return ExitCode::ok;
  }

  static Result<ExitCode> show(const profile::Store& store, const std::vector<std::string>& words,
                               const Arguments& arguments, Context& context) {
    const auto id = words.size() > 1 ? parse_integer(words[1]) : std::nullopt;
    if (!id)
      return Error{ErrorKind::usage, "runs show", "it wants a run's number", "",
                   "`cutelab runs list` shows them"};
    auto stored = store.get(*id);
    if (!stored) return stored.error();
    context.out << (arguments.has("--json") ? evidence::json_text(stored->run) + "\n"
                                            : report::run_report(stored->run));
    return ExitCode::ok;
  }
};

}  // namespace

std::unique_ptr<Verb> make_runs_verb() { return std::make_unique<RunsVerb>(); }

}  // namespace cutelab::cli
