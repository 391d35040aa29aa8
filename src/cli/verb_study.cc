#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "base/counted.h"
#include "base/text.h"
#include "cli/example_names.h"
#include "cli/knowledge_world.h"
#include "cli/study_ask.h"
#include "cli/verbs.h"
#include "knowledge/study.h"

namespace cutelab::cli {
namespace {
using knowledge::Study;
using knowledge::StudyItem;
using knowledge::StudyStore;

const std::vector<std::string>& actions() {
  static const std::vector<std::string> words = {"new",     "ask",      "answer", "note",
                                                 "select",  "read",     "import", "profile",
                                                 "extract", "document", "status", "list"};
  return words;
}

Error usage(const std::string& wrong, const std::string& remedy) {
  return Error{ErrorKind::usage, "study", wrong, "", remedy};
}

void print_status(const Study& study, const Context& context) {
  const knowledge::StudyStatus status = knowledge::status_of(study, context.files);
  std::ostream& out = context.out;
  out << fmt::format("study {}: {}\n\n", study.name, printable(study.goal));
  int number = 0;
  for (const knowledge::StepStatus& step : status.steps) {
    ++number;
    out << fmt::format("  {} {:<9} {}\n", number, knowledge::name_of(step.step), step.done ? "done" : "open");
    for (const std::string& line : step.lines) out << "      " << printable(line) << "\n";
  }
  for (std::size_t i = 0; i < study.questions.size(); ++i) {
    const auto& question = study.questions[i];
    out << fmt::format("{}  question {}: {}\n", i == 0 ? "\n" : "", i + 1, printable(question.text))
        << as_called(question.answer.empty()
                         ? fmt::format("    open; once you know: cutelab study answer {} {} \"…\"\n",
                                       study.name, i + 1)
                         : "    answer: " + printable(question.answer) + "\n",
                     context);
  }
  for (std::size_t i = 0; i < study.notes.size(); ++i)
    out << (i == 0 ? "\n" : "") << "  note: " << printable(study.notes[i].text) << "\n";
  std::string next = "\nnext: " + status.next + "\n";
  for (const std::string& command : status.commands) next += "  " + printable(command) + "\n";
  out << as_called(next, context);
}

/// Where the thing lies that a step records: of an example's name its file, of an entry's id its page. Runs
/// and packages are names.
Result<std::string> place_of(knowledge::Step step, const std::string& what, ExampleNames& names,
                             const Context& context) {
  using knowledge::Step;
  if (context.files.status(what) || step == Step::import || step == Step::profile) return what;
  if (step == Step::select || step == Step::read) {
    std::vector<std::string> notes;
    auto path = names(what, notes);
    for (const std::string& note : notes) context.err << "note: " << printable(note) << "\n";
    return path;
  }
  if (step == Step::extract) {
    const auto library = knowledge::load_library(default_knowledge_folder(context), context.files);
    if (const auto* entry = library ? library->find(what) : nullptr) return entry->path;
  }
  return Error{ErrorKind::input, fmt::format("study {}", knowledge::name_of(step)),
               fmt::format("there is no file {}", printable(what)), "",
               step == Step::extract
                   ? "name an entry's file or id: `cutelab extract` says where its drafts lie"
                   : "name a file or folder that is there"};
}

/// The content's hash shows later whether a file changed.
Result<StudyItem> item_of(knowledge::Step step, const std::string& what, const std::string& note,
                          ExampleNames& names, const Context& context) {
  auto place = place_of(step, what, names, context);
  if (!place) return place.error();
  StudyItem item{step, *place, "", note, ""};
  const auto status = context.files.status(item.what);
  if (status && !status->is_directory) item.revision = knowledge::file_revision(item.what, context.files);
  return item;
}

class StudyVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec{
        "study", "the record of one learning goal: questions, steps done, what is next", "1 - 6", {}, {}, {},
        false};
    spec.positionals = {
        {"ACTION", join(actions(), ", "), 1, 1},
        {"NAME",
         "the study, then what the action is about: a question; a question's number and the answer; a "
         "source or an example's name (select, read); a package (import); a run (profile); an entry's file "
         "or id (extract)",
         0, -1}};
    spec.flags = {{"--goal", "TEXT", "what to learn, with `new`", "", false, {}},
                  {"--note", "TEXT", "a remark on what is recorded", "", false, {}},
                  {"--in",
                   "FILE",
                   "with `ask`: answer from this source instead of those that the study read",
                   "",
                   true,
                   {}},
                  {"--folder", "DIR", "where studies are kept", ".cutelab/study", false, {}},
                  {"--json", "", "the study as JSON; with `list` all of them", "", false, {}}};
    spec.examples = {"cutelab study new pipelines --goal \"understand TMA pipelines\"",
                     "cutelab study ask pipelines \"who arrives on the empty barrier?\"",
                     "cutelab study answer pipelines 1 \"each math warpgroup, once it has read the stage\"",
                     "cutelab study ask \"how many registers has each role?\" --in "
                     "examples/cute_dsl/gemm_persistent_warp_specialized.py",
                     "cutelab study select pipelines gemm_wgmma_pipelined",
                     "cutelab study read pipelines examples/cute_dsl/gemm_wgmma_pipelined.py",
                     "cutelab study status pipelines"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    const auto& words = arguments.positionals();
    const std::string action = words[0];
    const auto& known = actions();
    if (std::find(known.begin(), known.end(), action) == known.end()) {
      const auto near = nearest(action, known);
      return usage(fmt::format("unknown action '{}'", printable(action)),
                   near ? fmt::format("did you mean '{}'?", *near) : "actions: " + join(known, ", "));
    }
    const StudyStore store(arguments.get("--folder", ".cutelab/study"), context.files, context.clock);
    if (action == "list") return list(store, arguments.has("--json"), context);
    if (action == "ask") return ask(words, arguments, store, context);
    if (words.size() < 2) return usage("no study named", fmt::format("cutelab study {} NAME …", action));
    auto study = act(action, words, arguments, store, context);
    if (!study) return study.error();
    if (arguments.has("--json"))
      context.out << knowledge::study_json(*study);
    else
      print_status(*study, context);
    return ExitCode::ok;
  }

 private:
  /// `ask NAME QUESTION` records the question and answers it from what the study read; `ask QUESTION --in
  /// FILE` only answers.
  static Result<ExitCode> ask(const std::vector<std::string>& words, const Arguments& arguments,
                              const StudyStore& store, Context& context) {
    std::vector<std::string> sources = arguments.all("--in");
    if (words.size() < 2) return usage("no question", "cutelab study ask NAME \"who arrives?\"");
    const bool named = words.size() > 2;
    if (!named && sources.empty())
      return usage("neither a study nor a source is named",
                   "cutelab study ask NAME \"…\", or cutelab study ask \"…\" --in FILE");
    const std::string question =
        join(std::vector<std::string>(words.begin() + (named ? 2 : 1), words.end()), " ");
    if (named) {
      auto study = store.ask(words[1], question);
      if (!study) return study.error();
      for (const StudyItem& item : study->items)
        if (sources.empty() && (item.step == knowledge::Step::read || item.step == knowledge::Step::select))
          sources.push_back(item.what);
      if (arguments.has("--json")) {
        context.out << knowledge::study_json(*study);
        return ExitCode::ok;
      }
      print_status(*study, context);
      if (sources.empty())
        context.out << as_called(
            fmt::format(
                "\nnot answered: the study has read no source yet; `cutelab study read {} FILE` records "
                "one, --in FILE answers from another\n",
                words[1]),
            context);
      if (sources.empty()) return ExitCode::ok;
      context.out << "\n";
    }
    return answer_from_sources(question, sources, arguments.has("--json"), context);
  }

  static Result<ExitCode> list(const StudyStore& store, bool json, Context& context) {
    std::vector<std::string> broken;
    auto studies = store.all(&broken);
    if (!studies) return studies.error();
    const ExitCode code = broken.empty() ? ExitCode::ok : ExitCode::failed_check;
    if (json) return context.out << knowledge::studies_json(*studies, broken), code;
    for (const Study& study : *studies) {
      const auto status = knowledge::status_of(study, context.files);
      const auto done =
          std::count_if(status.steps.begin(), status.steps.end(), [](auto& s) { return s.done; });
      context.out << fmt::format("{:<20} {} of 6 steps, {}  {}\n", study.name, done,
                                 counted(status.open_questions, "open question"), printable(study.goal));
    }
    if (studies->empty())
      context.out << as_called("no studies; start one: cutelab study new NAME --goal \"…\"\n", context);
    for (const std::string& line : broken) context.out << "unreadable: " << printable(line) << "\n";
    return code;
  }

  static Result<Study> act(const std::string& action, const std::vector<std::string>& words,
                           const Arguments& arguments, const StudyStore& store, const Context& context) {
    const std::string& name = words[1];
    const std::string rest = join(std::vector<std::string>(words.begin() + 2, words.end()), " ");
    if (action == "new") return store.create(name, arguments.has("--goal") ? arguments.get("--goal") : rest);
    if (action == "note") return store.add_note(name, rest);
    if (action == "status") return store.load(name);
    if (action == "answer") {
      const auto number = words.size() > 2 ? parse_integer(words[2]) : std::nullopt;
      if (!number || *number < 1 || *number > 1'000'000)
        return usage("which question is answered?",
                     fmt::format("cutelab study answer {} NUMBER \"…\"", name));
      return store.answer(name, static_cast<int>(*number),
                          join(std::vector<std::string>(words.begin() + 3, words.end()), " "));
    }
    return record(action, words, arguments, store, context);
  }

  static Result<Study> record(const std::string& action, const std::vector<std::string>& words,
                              const Arguments& arguments, const StudyStore& store, const Context& context) {
    if (words.size() < 3)
      return usage("nothing named to record", fmt::format("cutelab study {} {} WHAT", action, words[1]));
    Result<Study> study = store.load(words[1]);
    if (!study) return study;
    ExampleNames names(context, "", "");
    for (const knowledge::Step step : knowledge::all_steps) {
      if (action != knowledge::name_of(step)) continue;
      for (std::size_t i = 2; i < words.size(); ++i) {
        auto item = item_of(step, words[i], arguments.get("--note"), names, context);
        if (!item) return item.error();
        study = store.record(words[1], *item);
        if (!study) return study;
      }
    }
    return study;
  }
};

}  // namespace

std::unique_ptr<Verb> make_study_verb() { return std::make_unique<StudyVerb>(); }

}  // namespace cutelab::cli
