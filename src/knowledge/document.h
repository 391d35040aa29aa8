#pragma once
#include <string>
#include <vector>

#include "evidence/run.h"
#include "knowledge/library.h"

namespace cutelab::knowledge {

/// One file that `document` would write.
struct Change {
  std::string path;
  std::string content;
  std::string what;  ///< "catalog of 6 entries", "2 evidence lines moved"
};

struct DocumentPlan {
  std::vector<Change> changes;
  std::vector<Problem> problems;
  int entries = 0;  ///< drafts not counted
  int drafts = 0;
  int evidence_lines = 0;
};

/// What a knowledge base needs so that it is true and complete. Nothing is written here. Post-conditions:
///   1. After the changes are written, a second plan has no changes (idempotent).
///   2. Outside generated regions and `at:` members every byte of every file stays as it is.
///   3. An entry with an error is not changed.
/// Catalogs: README.md of the folder (all entries), README.md of <folder>/<language> for each language that
/// entries belong to or were seen in.
DocumentPlan plan_document(const Library& library, const CheckWorld& world, const FileSource& files);

/// The generated list of an entry's Source section.
std::string source_region(const std::vector<EvidenceLine>& lines);

/// First 12 hex digits of the SHA-256 over the run's JSON: the id under which entries and logs cite it.
std::string run_id(const evidence::Run& run);

/// A development log with one section for each run that `existing` has none for; what stands there stays.
/// `existing` empty = a new log. The sections' conclusions are left to a person.
std::string with_runs(const std::string& existing, const std::string& kernel,
                      const std::vector<evidence::Run>& runs);

/// A text as one printable cell of a Markdown table.
std::string cell(const std::string& text);

/// "| Duration (us) | 12.5 |" rows; a metric without a value says why.
std::string metric_rows(const evidence::Run& run);

}  // namespace cutelab::knowledge
