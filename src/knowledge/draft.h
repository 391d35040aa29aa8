#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/file_source.h"
#include "evidence/reading.h"
#include "knowledge/library.h"

namespace cutelab::knowledge {

struct DraftRequest {
  std::vector<std::string> patterns;  ///< P1 … P10; empty = every present one
  std::vector<std::string> roots;     ///< prefixes that evidence paths lose: project, corpora
  std::string versions;               ///< of the language's library, "4.8.1"; empty = not known
};

/// A draft entry as text, already parsed and its signature matched against the reading it came from.
struct Draft {
  std::string id;       ///< "<pattern>-in-<file stem>"
  std::string pattern;  ///< P1 … P10, or "" for an anti-pattern
  std::string text;
  Entry entry;
};

/// Drafts of the present patterns and of the risks (missing companions) that a reading shows. Every claim
/// carries its line; what nobody measured or wrote is said to be open. Post-conditions:
///   1. Each text parses with parse_entry() and its signature matches the reading (verdict yes).
///   2. The same reading gives the same text.
/// Errors: kind input: a pattern that is not on the checklist, or that the reading does not show; kind
/// internal: a signature that does not match (never written).
Result<std::vector<Draft>> draft_entries(const evidence::Reading& reading, const DraftRequest& request,
                                         const FileSource& files);

enum class Placement {
  created,    ///< there was no such file
  unchanged,  ///< the same draft is there
  replaced,   ///< an older draft that nobody edited
  beside      ///< an edited entry is there: it stays, the draft goes to NAME.new.md
};
struct PlacedDraft {
  Placement placement = Placement::created;
  std::string path;     ///< where the draft is or goes
  std::string kept;     ///< the edited entry that stays; empty = none
  std::string content;  ///< to write; empty when unchanged
};
/// Where a draft may be written below `folder` without losing anybody's work.
PlacedDraft place_draft(const Draft& draft, const std::string& folder, const FileSource& files);

/// Whether the text is a draft as `extract` wrote it, to the byte (its stamp is right).
bool is_untouched_draft(const std::string& text);
/// The text with its `drafted:` stamp made right.
std::string stamped(const std::string& text);

}  // namespace cutelab::knowledge
