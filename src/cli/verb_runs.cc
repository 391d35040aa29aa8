#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "base/text.h"
#include "cli/kernel_sweep_flags.h"
#include "cli/numbers.h"
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
    if (auto fits = check_use(arguments, context); !fits) return fits.error();
    auto store = profile::Store::open(store_file(arguments, context));
    if (!store) return store.error();
    const auto& words = arguments.positionals();
    if (words[0] == "list") return list(*store, arguments, context);
    if (words[0] == "show") return show(*store, words, arguments, context);
    if (words[0] == "export") return export_runs(*store, words, arguments, context);
    if (words[0] == "import") return import_runs(*store, words, context);
    return collect(*store, arguments, context);
  }

 private:
  /// What an action does not do is not passed over in silence, and a store that is only read is not made.
  static Status check_use(const Arguments& arguments, const Context& context) {
    const auto& words = arguments.positionals();
    struct Use {
      std::string action;
      bool takes_a_word;
      std::vector<std::string> flags;
    };
    const std::vector<Use> uses = {{"list", false, {"--kernel", "--device", "--most", "--json"}},
                                   {"show", true, {"--json"}},
                                   {"export", true, {"--kernel", "--device", "--most"}},
                                   {"import", true, {}},
                                   {"gc", false, {"--keep", "--dry-run"}}};
    const auto use =
        std::find_if(uses.begin(), uses.end(), [&](const Use& u) { return u.action == words[0]; });
    if (use == uses.end())
      return Error{ErrorKind::usage, "runs " + words[0], "no such action", "",
                   "actions: list, show, export, import, gc"};
    if (words.size() > 1 && !use->takes_a_word)
      return Error{ErrorKind::usage, "runs " + words[0], fmt::format("it takes no '{}'", words[1]), "",
                   "`cutelab runs --help`"};
    for (const char* flag : {"--kernel", "--device", "--most", "--keep", "--dry-run", "--json"})
      if (arguments.has(flag) && std::find(use->flags.begin(), use->flags.end(), flag) == use->flags.end())
        return Error{ErrorKind::usage, "runs " + words[0], fmt::format("it has no {}", flag), "",
                     use->flags.empty() ? "leave it out" : "its flags: " + join(use->flags, ", ")};
    if (arguments.has("--store") && words[0] != "import" && !context.files.status(arguments.get("--store")))
      return Error{ErrorKind::input, "runs " + words[0], "there is no such store", arguments.get("--store"),
                   "`cutelab kernel … --store=FILE` makes one"};
    return {};
  }

  static Result<ExitCode> list(const profile::Store& store, const Arguments& arguments, Context& context) {
    const auto most = bounded_number(arguments, "runs list", "--most", 50, 1, most_listed);
    if (!most) return most.error();
    auto runs = store.list({arguments.get("--kernel"), arguments.get("--device"), *most});
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
    if (!rows.empty())
      context.out << report::run_list(rows, context.table_width());
    else if (auto said = say_why_none(store, arguments, context); !said)
      return said.error();
    return ExitCode::ok;
  }

  /// Of an empty store that it is empty; else which kernels and devices there are runs of.
  static Status say_why_none(const profile::Store& store, const Arguments& arguments, Context& context) {
    auto all = store.list({"", "", most_listed});
    if (!all) return all.error();
    if (all->empty()) {
      context.out << as_called("no runs are kept yet: `cutelab kernel …` keeps one\n", context);
      return {};
    }
    std::set<std::string> kernels, devices;
    for (const auto& stored : *all) {
      kernels.insert(stored.run.kernel);
      if (!stored.run.provenance.device.empty()) devices.insert(stored.run.provenance.device);
    }
    std::string asked;
    if (arguments.has("--kernel")) asked += " of the kernel " + arguments.get("--kernel");
    if (arguments.has("--device")) asked += " on the device " + arguments.get("--device");
    context.out << fmt::format("no run{} is kept here; {} of other kinds are: kernels {}; devices {}\n",
                               asked, all->size(), join({kernels.begin(), kernels.end()}, ", "),
                               devices.empty() ? "none" : join({devices.begin(), devices.end()}, ", "));
    return {};
  }

  static Result<ExitCode> export_runs(const profile::Store& store, const std::vector<std::string>& words,
                                      const Arguments& arguments, Context& context) {
    const auto most = bounded_number(arguments, "runs export", "--most", most_listed, 1, most_listed);
    if (!most) return most.error();
    auto stored = store.list({arguments.get("--kernel"), arguments.get("--device"), *most});
    if (!stored) return stored.error();
    std::vector<evidence::Run> runs;
    for (auto it = stored->rbegin(); it != stored->rend(); ++it) runs.push_back(std::move(it->run));
    const std::string text = evidence::json_text(runs);
    if (words.size() < 2 || words[1] == "-") {
      context.out << text;
      return ExitCode::ok;
    }
    if (auto s = write_file_atomically(words[1], text); !s) return s.error();
    context.out << fmt::format("wrote {} run{} to {}\n", runs.size(), runs.size() == 1 ? "" : "s", words[1]);
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
    context.out << fmt::format("{} new here\n",
                               *added == 1 ? "1 run is" : fmt::format("{} runs are", *added));
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
    const auto keep = bounded_number(arguments, "runs gc", "--keep", 20, 1, most_listed);
    if (!keep) return keep.error();
    auto gone = store.collect(*keep, arguments.has("--dry-run"));
    if (!gone) return gone.error();
    context.out << fmt::format("{} run{} {}\n", *gone, *gone == 1 ? "" : "s",
                               arguments.has("--dry-run") ? "would go" : "removed");
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
    context.out << (arguments.has("--json")
                        ? evidence::json_text(stored->run) + "\n"
                        : as_called(report::run_report(stored->run, context.table_width()), context));
    return ExitCode::ok;
  }
};

}  // namespace

std::unique_ptr<Verb> make_runs_verb() { return std::make_unique<RunsVerb>(); }

}  // namespace cutelab::cli
