#include "knowledge/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/file_lock.h"
#include "base/sha256.h"
#include "base/text.h"

namespace cutelab::knowledge {
namespace {

constexpr std::uint64_t max_study_bytes = 4u << 20;

Error study_error(const std::string& name, ErrorKind kind, const std::string& wrong,
                  const std::string& remedy) {
  return Error{kind, "study " + printable(name), wrong, "", remedy};
}

struct StepText {
  Step step;
  const char* name;
  const char* next;
  const char* command;  ///< that does the step; {} = what the step before is about
  const char* record;   ///< the word of `study` for what is recorded
  Step about;           ///< the step whose last item {} is
};
constexpr StepText step_texts[] = {
    {Step::select, "select", "Choose an example (`cutelab select --list` names goals), then record it.",
     "cutelab select --goal GOAL", "EXAMPLE", Step::select},
    {Step::read, "read", "Read the example and record that you did.", "cutelab read {}", "{}", Step::select},
    {Step::import, "import", "Put the kernel behind an interface of your own.",
     "cutelab import {} --layer LAYER --design MY_KERNEL", "MY_KERNEL", Step::read},
    {Step::profile, "profile", "Check and measure it.", "cutelab kernel {} --check --prof_type=event", "RUN",
     Step::import},
    {Step::extract, "extract", "Draft the patterns that it shows.", "cutelab extract {}", "ENTRY.md",
     Step::read},
    {Step::document, "document", "Bring catalogs and evidence up to date.", "cutelab document",
     "docs/knowledge", Step::document}};

const StepText& text_of(Step step) { return step_texts[static_cast<std::size_t>(step)]; }

/// As one word of a command line.
std::string shell_word(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 ||
           std::string_view("-_./:+,=@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return plain && !word.empty() ? word : "'" + replace_all(word, "'", "'\\''") + "'";
}

/// What the next step is about: what was recorded last, a placeholder where nothing was.
std::string subject_of(const StepText& text, const Study& study) {
  for (auto it = study.items.rbegin(); it != study.items.rend(); ++it)
    if (it->step == text.about) return shell_word(it->what);
  return text.about == Step::import ? "MY_KERNEL" : "FILE";
}

std::vector<std::string> commands_of(const StepText& text, const Study& study) {
  const std::string subject = subject_of(text, study);
  return {
      replace_all(text.command, "{}", subject),
      fmt::format("cutelab study {} {} {}", text.name, study.name, replace_all(text.record, "{}", subject))};
}

}  // namespace

const char* name_of(Step step) { return text_of(step).name; }

bool is_study_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (std::isalnum(c) && c < 0x80) || c == '-' || c == '_';
  });
}

std::string file_revision(const std::string& path, const FileSource& files) {
  auto text = files.read(path, max_source_bytes);
  return text ? sha256(*text).substr(0, 16) : "";
}

std::string StudyStore::path_of(const std::string& name) const { return folder_ + "/" + name + ".json"; }

Result<Study> StudyStore::load(const std::string& name) const {
  if (!is_study_name(name))
    return study_error(name, ErrorKind::usage, "no name for a study",
                       "use letters, digits, - and _, at most 64");
  const std::string path = path_of(name);
  if (!files_.status(path))
    return study_error(name, ErrorKind::input, fmt::format("there is no such study in {}", folder_),
                       fmt::format("cutelab study list, or: cutelab study new {} --goal \"…\"", name));
  auto text = files_.read(path, max_study_bytes);
  if (!text) return text.error();
  return study_from_json(*text, path);
}

Result<std::vector<Study>> StudyStore::all(std::vector<std::string>* broken) const {
  std::vector<Study> studies;
  if (!files_.status(folder_)) return studies;
  auto paths = files_.list(folder_, broken);
  if (!paths) return paths.error();
  for (const std::string& path : *paths) {
    const std::string file = path.substr(path.rfind('/') + 1);
    if (!file.ends_with(".json")) continue;
    auto study = load(file.substr(0, file.size() - 5));
    if (study)
      studies.push_back(std::move(*study));
    else if (broken)
      broken->push_back(fmt::format("{}: {}", path, study.error().wrong));
  }
  return studies;
}

template <class Change>
Result<Study> StudyStore::changed(const std::string& name, Change change) const {
  if (!is_study_name(name)) return load(name);  // says what is wrong with the name
  if (!files_.status(path_of(name))) return load(name);
  auto lock = FileLock::take(path_of(name) + ".lock");
  if (!lock) return lock.error();
  auto study = load(name);
  if (!study) return study.error();
  if (Status status = change(*study); !status) return status.error();
  if (auto status = write_file_atomically(path_of(name), study_json(*study)); !status) return status.error();
  return study;
}

Result<Study> StudyStore::create(const std::string& name, const std::string& goal) const {
  if (!is_study_name(name)) return load(name);
  if (trim(goal).empty())
    return study_error(name, ErrorKind::usage, "a study needs a goal",
                       fmt::format("cutelab study new {} --goal \"…\"", name));
  auto lock = FileLock::take(path_of(name) + ".lock");
  if (!lock) return lock.error();
  if (files_.status(path_of(name)))
    return study_error(name, ErrorKind::input, fmt::format("{} is there already", path_of(name)),
                       fmt::format("cutelab study status {}, or choose another name", name));
  Study study;
  study.name = name;
  study.goal = std::string(trim(goal));
  study.created_at = clock_.utc_now();
  if (auto status = write_file_atomically(path_of(name), study_json(study)); !status) return status.error();
  return study;
}

Result<Study> StudyStore::ask(const std::string& name, const std::string& question) const {
  return changed(name, [&](Study& study) -> Status {
    if (trim(question).empty()) return study_error(name, ErrorKind::usage, "the question is empty", "");
    const bool is_asked = std::any_of(study.questions.begin(), study.questions.end(), [&](const auto& known) {
      return known.answer.empty() && known.text == trim(question);
    });
    if (!is_asked) study.questions.push_back({std::string(trim(question)), "", clock_.utc_now(), ""});
    return {};
  });
}

Result<Study> StudyStore::answer(const std::string& name, int number, const std::string& text) const {
  return changed(name, [&](Study& study) -> Status {
    if (number < 1 || number > static_cast<int>(study.questions.size()))
      return study_error(name, ErrorKind::usage,
                         fmt::format("there is no question {}; there are {}", number, study.questions.size()),
                         fmt::format("cutelab study status {}", name));
    if (trim(text).empty()) return study_error(name, ErrorKind::usage, "the answer is empty", "");
    StudyQuestion& question = study.questions[static_cast<std::size_t>(number) - 1];
    question.answer = std::string(trim(text));
    question.answered_at = clock_.utc_now();
    return {};
  });
}

Result<Study> StudyStore::add_note(const std::string& name, const std::string& text) const {
  return changed(name, [&](Study& study) -> Status {
    if (trim(text).empty()) return study_error(name, ErrorKind::usage, "the note is empty", "");
    study.notes.push_back({std::string(trim(text)), clock_.utc_now()});
    return {};
  });
}

Result<Study> StudyStore::record(const std::string& name, StudyItem item) const {
  item.at = clock_.utc_now();
  return changed(name, [&](Study& study) -> Status {
    if (trim(item.what).empty())
      return study_error(name, ErrorKind::usage,
                         fmt::format("nothing named to record under {}", name_of(item.step)), "");
    const auto same = std::find_if(study.items.begin(), study.items.end(), [&](const StudyItem& one) {
      return one.step == item.step && one.what == item.what;
    });
    if (same != study.items.end())
      *same = item;
    else
      study.items.push_back(item);
    return {};
  });
}

StudyStatus status_of(const Study& study, const FileSource& files) {
  StudyStatus out;
  for (const Step step : all_steps) {
    StepStatus one{step, false, {}};
    for (const StudyItem& item : study.items) {
      if (item.step != step) continue;
      one.done = true;
      const std::string now = item.revision.empty() ? "" : file_revision(item.what, files);
      const char* remark = now == item.revision ? ""
                           : now.empty()        ? " (no longer there)"
                                                : " (changed since)";
      one.lines.push_back(item.what + remark + (item.note.empty() ? "" : ": " + item.note));
    }
    if (!one.done && out.next.empty()) {
      out.next = text_of(step).next;
      out.commands = commands_of(text_of(step), study);
    }
    out.steps.push_back(std::move(one));
  }
  for (const StudyQuestion& question : study.questions) out.open_questions += question.answer.empty() ? 1 : 0;
  if (out.next.empty() && out.open_questions > 0) {
    out.next = "Answer the open questions.";
    out.commands = {fmt::format("cutelab study answer {} NUMBER \"…\"", study.name)};
  } else if (out.next.empty()) {
    out.next = "All six steps are done.";
  }
  return out;
}

}  // namespace cutelab::knowledge
