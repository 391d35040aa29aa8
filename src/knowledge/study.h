#pragma once
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_source.h"
#include "base/result.h"

namespace cutelab::knowledge {

/// The six steps of the workflow, in order.
enum class Step { select, read, import, profile, extract, document };
inline constexpr Step all_steps[] = {Step::select,  Step::read,    Step::import,
                                     Step::profile, Step::extract, Step::document};
const char* name_of(Step step);  ///< "select", … "document"

/// One thing done in a step: an example chosen or read, a package imported, a run, a pattern, a document.
struct StudyItem {
  Step step = Step::select;
  std::string what;      ///< path, package, run id, entry id
  std::string revision;  ///< of a file, first 16 hex digits of its SHA-256; empty = not a file
  std::string note;
  std::string at;  ///< "2026-01-31T12:00:00Z"
};

struct StudyQuestion {
  std::string text;
  std::string answer;  ///< empty = open
  std::string asked_at;
  std::string answered_at;
};

struct StudyNote {
  std::string text;
  std::string at;
};

/// The record of one learning goal.
struct Study {
  static constexpr int schema_version = 1;
  std::string name;
  std::string goal;
  std::string created_at;
  std::vector<StudyQuestion> questions;
  std::vector<StudyItem> items;
  std::vector<StudyNote> notes;
};

/// A study's JSON form (schema cutelab.study, version 1) and back. Errors (kind input) with the path of the
/// member: not JSON, another schema or version, a member missing or of wrong type.
std::string study_json(const Study& study);
/// Schema cutelab.studies, version 1: `studies`, each as above, and `unreadable`, what `all` said of the
/// others.
std::string studies_json(const std::vector<Study>& studies, const std::vector<std::string>& unreadable);
Result<Study> study_from_json(const std::string& text, const std::string& path);

/// Whether a study may have this name: letters, digits, `-` and `_`, not longer than 64.
bool is_study_name(const std::string& name);

/// The studies of a folder, each a file NAME.json. Every change is read, changed and written under a lock
/// (NAME.json.lock), and written beside and renamed: two writers both get their change in, an interrupted one
/// leaves the old file.
class StudyStore {
 public:
  StudyStore(std::string folder, const FileSource& files, const Clock& clock)
      : folder_(std::move(folder)), files_(files), clock_(clock) {}

  std::string path_of(const std::string& name) const;
  Result<std::vector<Study>> all(std::vector<std::string>* broken) const;
  Result<Study> load(const std::string& name) const;

  /// Errors: the name is taken or no name.
  Result<Study> create(const std::string& name, const std::string& goal) const;
  Result<Study> ask(const std::string& name, const std::string& question) const;
  /// `number` counts from 1.
  Result<Study> answer(const std::string& name, int number, const std::string& text) const;
  Result<Study> add_note(const std::string& name, const std::string& text) const;
  /// Records an item; the same step and thing again replaces the earlier one.
  Result<Study> record(const std::string& name, StudyItem item) const;

 private:
  template <class Change>
  Result<Study> changed(const std::string& name, Change change) const;

  std::string folder_;
  const FileSource& files_;
  const Clock& clock_;
};

/// How a study stands: what each step holds, whether files changed since they were recorded, what is next.
struct StepStatus {
  Step step = Step::select;
  bool done = false;
  std::vector<std::string> lines;  ///< one for each item, with "(changed since)" where its file differs now
};
struct StudyStatus {
  std::vector<StepStatus> steps;  ///< always six
  int open_questions = 0;
  std::string next;                   ///< what to do, one sentence
  std::vector<std::string> commands;  ///< that do it, one after the other
};
StudyStatus status_of(const Study& study, const FileSource& files);

/// First 16 hex digits of the SHA-256 of a file; empty if it cannot be read.
std::string file_revision(const std::string& path, const FileSource& files);

}  // namespace cutelab::knowledge
