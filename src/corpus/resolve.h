#pragma once
#include <optional>
#include <string>
#include <vector>

#include "corpus/catalog.h"
#include "corpus/history.h"

namespace cutelab::corpus {

/// What an example's name means in the corpora at hand.
struct Resolution {
  std::string asked;
  std::vector<int> candidates;  ///< every example of that name, best first; indices into Catalog::examples()
  int chosen = -1;  ///< the one to take; -1 = several and nothing decides (ask for --arch or a longer path)
  std::vector<std::string> notes;  ///< what was corrected, for people
};

/// Finds the example that `asked` means: a name ("dense_gemm"), a file name, or a path of any CUTLASS
/// release, be it stale. Matching goes by basename and architecture; `device` decides among several. A
/// missing example is an error (kind input) that says in which releases it exists and what replaces it, or
/// the nearest names.
Result<Resolution> resolve(const std::string& asked, const std::optional<Device>& device,
                           const Catalog& catalog, const ExampleHistory& history);

/// "layout D, 4.5-4.6" or "layout unknown"; with the header's release: "4.7.0, layout E, 4.7".
std::string checkout_text(const CorpusView& corpus, const ExampleHistory& history);

}  // namespace cutelab::corpus
