#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/kernel_sweep_flags.h"
#include "cli/verbs.h"
#include "evidence/json.h"
#include "profile/store.h"
#include "report/run_view.h"

namespace cutelab::cli {
namespace {

constexpr std::uint64_t most_imported_bytes = std::uint64_t{2} << 30;

class RunsVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec;
    spec.name = "runs";
    spec.summary = "runs that were kept, with their provenance";
    spec.positionals = {{"ACTION", "list, show, export, import or gc", 1, 1},
                        {"RUN", "show: a run's number; export, import: a file", 0, 1}};
    spec.flags = {
        {"--kernel", "DESIGN", "only runs of this kernel", "", false, {}},
        {"--device", "NAME", "only runs on this device", "", false, {}},
        {"--most", "N", "at most so many, the newest", "50", false, {}},
        {"--keep", "N", "gc: the newest so many of each kernel, device and configuration", "20", false, {}},
        {"--dry-run", "", "gc: only say how many would go", "", false, {}},
        {"--store", "FILE", "another store than one's own", "", false, {}},
        {"--json", "", "as JSON", "", false, {}}};
    spec.examples = {"cutelab runs list --kernel rmsnorm", "cutelab runs show 7 --json",
                     "cutelab runs export h200.json --device 'NVIDIA H200'",
                     "cutelab runs import other.db        # a store, or what export wrote"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    auto store = profile::Store::open(store_file(arguments, context));
    if (!store) return store.error();
    const auto& words = arguments.positionals();
    if (words[0] == "list") return list(*store, arguments, context);
    if (words[0] == "show") return show(*store, words, arguments, context);
    if (words[0] == "export") return export_runs(*store, words, arguments, context);
    if (words[0] == "import") return import_runs(*store, words, context);
    if (words[0] == "gc") return collect(*store, arguments, context);
    return Error{ErrorKind::usage, "runs " + words[0], "no such action", "",
                 "actions: list, show, export, import, gc"};
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
    context.out << (rows.empty() ? as_called("no runs are kept yet: `cutelab kernel …` keeps one\n", context)
                                 : report::run_list(rows));
    return ExitCode::ok;
  }

  static Result<ExitCode> export_runs(const profile::Store& store, const std::vector<std::string>& words,
                                      const Arguments& arguments, Context& context) {
    auto stored =
        store.list({arguments.get("--kernel"), arguments.get("--device"),
                    arguments.has("--most") ? std::atoi(arguments.get("--most").c_str()) : 1'000'000});
    if (!stored) return stored.error();
    std::vector<evidence::Run> runs;
    for (auto it = stored->rbegin(); it != stored->rend(); ++it) runs.push_back(std::move(it->run));
    const std::string text = evidence::json_text(runs);
    if (words.size() < 2 || words[1] == "-") {
      context.out << text;
      return ExitCode::ok;
    }
    if (auto s = write_file_atomically(words[1], text); !s) return s.error();
    context.out << fmt::format("wrote {} runs to {}\n", runs.size(), words[1]);
    return ExitCode::ok;
  }

  static Result<ExitCode> import_runs(profile::Store& store, const std::vector<std::string>& words,
                                      Context& context) {
    if (words.size() < 2)
      return Error{ErrorKind::usage, "runs import", "it wants a file", "",
                   "name a store (.db) or what `cutelab runs export` wrote"};
    auto text = context.files.read(words[1], most_imported_bytes);
    if (!text) return text.error();
    auto added =
        text->rfind("SQLite format 3", 0) == 0 ? from_store(store, words[1]) : from_json(store, *text);
    if (!added) return added.error();
    context.out << fmt::format("{} runs are new here\n", *added);
    return ExitCode::ok;
  }
  static Result<int> from_store(profile::Store& store, const std::string& file) {
    auto other = profile::Store::open(file);
    return other ? store.merge(*other) : Result<int>(other.error());
  }
  static Result<int> from_json(profile::Store& store, const std::string& text) {
    auto runs = evidence::runs_from_json(text);
    if (!runs) return runs.error();
    int added = 0;
    for (const auto& run : *runs) {
      auto is_new = store.add_if_new(run);
      if (!is_new) return is_new.error();
      added += *is_new ? 1 : 0;
    }
    return added;
  }

  static Result<ExitCode> collect(profile::Store& store, const Arguments& arguments, Context& context) {
    const auto keep = parse_integer(arguments.get("--keep", "20"));
    if (!keep || *keep < 1 || *keep > 1'000'000)
      return Error{ErrorKind::usage, "runs gc", "--keep wants a number from 1", "", "write --keep=5"};
    auto gone = store.collect(static_cast<int>(*keep), arguments.has("--dry-run"));
    if (!gone) return gone.error();
    context.out << fmt::format("{} runs {}\n", *gone, arguments.has("--dry-run") ? "would go" : "removed");
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
