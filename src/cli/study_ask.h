#pragma once
#include <string>
#include <vector>

#include "cli/verb.h"

namespace cutelab::cli {

/// Prints what the readings of the sources say to a question, best first, each with its line; says so where
/// no fact answers it. A source twice counts once; one that cannot be read is reported on stderr. Errors: no
/// source can be read.
Result<ExitCode> answer_from_sources(const std::string& question, const std::vector<std::string>& sources,
                                     bool json, Context& context);

}  // namespace cutelab::cli
