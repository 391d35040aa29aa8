#pragma once
#include <string>
#include <vector>

#include "base/file_source.h"
#include "evidence/reading.h"
#include "knowledge/draft.h"
#include "knowledge/signature.h"

namespace cutelab::knowledge {

/// What one draft is about.
struct DraftParts {
  std::string id;
  std::string title;
  std::string mechanism;                              ///< of an anti-pattern
  const evidence::PatternFinding* finding = nullptr;  ///< of a pattern; nullptr for an anti-pattern
  Signature signature;
  std::vector<evidence::Location> at;  ///< the statements that decided the signature
};

/// The Markdown of a draft, its stamp still to be made right.
std::string draft_text(const DraftParts& parts, const evidence::Reading& reading, const DraftRequest& request,
                       const FileSource& files);

}  // namespace cutelab::knowledge
