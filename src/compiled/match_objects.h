#pragma once
#include <vector>

#include "compiled/match.h"
#include "evidence/reading.h"

namespace cutelab::compiled {

/// Adds the answers to facts of the source that stand where no operation is: where an object or a number of
/// Python is made. Called when operations have answered.
void match_objects(const evidence::Reading& source, const std::vector<Candidate>& compiled, Answers& answers);

}  // namespace cutelab::compiled
