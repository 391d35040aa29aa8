#pragma once
#include <optional>
#include <string>
#include <vector>

#include "corpus/workspace.h"

namespace cutelab::corpus {

/// What to look for. Empty members ask for nothing.
struct Query {
  std::string goal, category, pattern;  ///< ids as the user typed them
  std::vector<std::string> words;
  std::optional<Device> arch;    ///< only examples of or for this architecture
  std::optional<Device> device;  ///< the GPU to run on
  std::vector<std::string> dtypes;
  bool helpers = false;  ///< list helper modules too
};

/// A place of the documentation that explains a construct.
struct SeeAlso {
  int corpus = 0;
  std::string page;
  std::string section;
  int line = 0;
  double score = 0;
};

struct Hit {
  int example = -1;
  double score = 0;
  std::vector<std::string> reasons;  ///< most important first
  RunsVerdict runs;                  ///< on Query::device
  int alternative = -1;              ///< nearest example that runs there; -1 = none or not needed
  std::optional<SeeAlso> see_also;
  std::vector<ApiUse> api;  ///< names that not every wheel has; select() leaves it empty
};

/// Ranked hits, best first. Errors (kind usage): unknown goal, category or pattern.
Result<std::vector<Hit>> select(const Query& query, const Workspace& workspace);

/// The example most like `e` that runs on `device`; -1 = none.
int nearest_runnable(const Example& e, Arch device, const Catalog& catalog);

/// Best sections for words or constructs, best first.
std::vector<SeeAlso> find_docs(const std::vector<std::string>& words, const Catalog& catalog,
                               std::size_t limit);

/// The section that explains what is most telling about an example: its rarest constructs. Nothing without
/// documentation.
std::optional<SeeAlso> see_also(const Example& e, const std::vector<std::string>& preferred,
                                const Catalog& catalog);

/// A learning path's step with the example that stands for it here.
struct ResolvedStep {
  std::string teaches;
  int example = -1;               ///< -1 = none in the corpora at hand
  std::string missing;            ///< why: "fp16_gemm_2.py: CUTLASS has it in 4.5.0 to 4.7.0 as …"
  bool other_generation = false;  ///< taken from another generation than the device's
  std::string package;            ///< a kernel of this repository that teaches it there: "dense_gemm v0"
};

/// The steps of path `id` for `device` (without one: the generation with most of the steps). Errors (kind
/// usage): no such path.
Result<std::vector<ResolvedStep>> learning_path(const std::string& id, const std::optional<Device>& device,
                                                const Workspace& workspace);

}  // namespace cutelab::corpus
