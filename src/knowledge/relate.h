#pragma once
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "knowledge/library.h"

namespace cutelab::knowledge {

/// How one entry stands to one reading.
struct Relation {
  enum class Kind {
    confirms,      ///< the signature holds and the reading adds nothing to it
    refines,       ///< it holds, and the reading shows facts of that pattern that it does not mention
    contradicts,   ///< the pattern it is about is present, in a form that the signature excludes
    lacks,         ///< the pattern is present, and nothing of what the signature asks for beyond it
    undetermined,  ///< the signature depends on values that the reading could not determine
    warns          ///< an anti-pattern's signature holds
  };
  Kind kind = Kind::confirms;
  std::string id;
  std::string path;
  std::string title;
  std::vector<std::string> patterns;  ///< that the entry is about
  std::vector<std::string> details;   ///< what it adds, what fails, what it depends on
  std::vector<evidence::Location> at;
};
const char* name_of(Relation::Kind kind);

struct CrossReference {
  std::vector<Relation>
      relations;                   ///< warns, contradicts, refines, confirms, lacks, undetermined; then by id
  std::vector<std::string> fresh;  ///< patterns of the checklist that are present and that no entry covers
};

/// Drafts, entries of another language's scope, and entries that are about patterns the reading does not
/// show, are left out.
CrossReference relate(const evidence::Reading& reading, const Library& library);

/// Facts that belong to a pattern as one term each, with the values that tell one form from another (class,
/// direction, operation, action, accumulator). Empty for a pattern without facts of its own.
std::vector<FactTerm> terms_of_pattern(const std::string& pattern, const evidence::Reading& reading);

}  // namespace cutelab::knowledge
