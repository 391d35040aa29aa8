#pragma once
#include <optional>
#include <string>
#include <vector>

#include "corpus/catalog.h"
#include "corpus/process.h"

namespace cutelab::corpus {

/// A module that an example imports and that is neither in its own corpus nor in Python itself.
struct ThirdParty {
  std::string module;  ///< "cuda.core.experimental"
  int line = 0;
  bool found = false;  ///< some file of that module is where Python looks for it
};

/// The third-party imports of a Python example, in the order of their lines, looked up by the `python3` of
/// `processes`: files are searched for, nothing is imported. Nothing if there is no such Python: what belongs
/// to Python itself is then not known either.
std::optional<std::vector<ThirdParty>> third_party(const Example& e, const Catalog& catalog,
                                                   const ProcessRunner& processes);

}  // namespace cutelab::corpus
