#pragma once
#include <string>
#include <vector>

#include "cli/verb.h"
#include "knowledge/library.h"

namespace cutelab::cli {

/// The knowledge base that a command works on when none is named: docs/knowledge of the working directory,
/// else the one that comes with the program.
std::string default_knowledge_folder(const Context& context);

/// Where evidence paths start: the working directory, the program's own root, then `corpora`.
std::vector<std::string> evidence_roots(const Context& context, const std::vector<std::string>& corpora);

/// Roots, metrics and runs: those that lie in `<folder>/runs` (the measured evidence that belongs to the
/// knowledge base) and `run_files`; JSON as the profiling verbs write it. Errors: a run file that cannot be
/// read.
Result<knowledge::CheckWorld> check_world(const Context& context, const std::string& folder,
                                          const std::vector<std::string>& corpora,
                                          const std::vector<std::string>& run_files);

/// The runs of those files, in order.
Result<std::vector<evidence::Run>> load_runs(const Context& context,
                                             const std::vector<std::string>& run_files);

}  // namespace cutelab::cli
