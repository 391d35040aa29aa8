#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "evidence/run.h"
#include "knowledge/entry.h"

namespace cutelab::knowledge {

/// Something wrong with a knowledge base, where it is.
struct Problem {
  enum class Severity { error, warning };
  Severity severity = Severity::error;
  std::string path;
  int line = 0;
  std::string what;
  std::string remedy;

  std::string text() const;  ///< "PATH:LINE: error: what (remedy)"
};

/// The entries of a folder. Catalogs (README.md), development logs (devlog/) and drafts that wait beside an
/// edited entry (NAME.new.md) are no entries.
struct Library {
  std::string folder;
  std::vector<Entry> entries;                ///< by path
  std::map<std::string, std::string> texts;  ///< path -> content, of every Markdown file read
  std::vector<Problem> problems;             ///< what could not be read or parsed

  const Entry* find(const std::string& id) const;
  int drafts() const;  ///< how many of the entries are drafts
};

/// A folder that does not exist is an empty library. Errors (kind input): the folder is a file or unreadable.
Result<Library> load_library(const std::string& folder, const FileSource& files);

/// What the checks may rely on beyond the library itself.
struct CheckWorld {
  std::vector<std::string> roots;          ///< where evidence paths start, tried in order: project, corpora
  std::vector<std::string> known_metrics;  ///< tags; empty = metrics are not checked
  /// The stored run of that id; unset = no store at hand, run ids are not checked.
  std::function<std::optional<evidence::Run>(const std::string&)> find_run;
};

/// How an evidence line stands to the file it cites.
struct Followed {
  enum class State { current, moved, stale, missing, ambiguous };
  State state = State::missing;
  EvidenceLine now;  ///< place and revision as they are now (current, moved)
};
Followed follow(const EvidenceLine& line, const std::vector<std::string>& roots, const FileSource& files);

/// Every problem of the library, by path and line: those of loading; ids given twice; sections missing,
/// empty, twice or out of order; links that lead nowhere; evidence that is stale, missing or ambiguous; no
/// evidence at all; unknown metrics; run ids that are not stored; `refines` that names no entry or goes in a
/// circle. Drafts may have unwritten sections (a warning).
std::vector<Problem> check(const Library& library, const CheckWorld& world, const FileSource& files);

}  // namespace cutelab::knowledge
