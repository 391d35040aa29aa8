#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "knowledge/signature.h"

namespace cutelab::knowledge {

/// A construct that needs a companion, written as a signature that holds when the companion is missing.
struct Risk {
  std::string id;
  std::string title;
  std::string mechanism;  ///< what goes wrong without the companion
  Signature signature;
};

/// Risks that hold for any kernel of the languages read here, with the rule each comes from. Error: never,
/// unless the table itself is broken (internal).
Result<std::vector<Risk>> known_risks();

}  // namespace cutelab::knowledge
