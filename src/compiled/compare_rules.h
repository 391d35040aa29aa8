#pragma once
#include <set>
#include <string>

namespace cutelab::compiled {

/// Kinds that stand for an operation of the compiler's, so that their absence there says something.
const std::set<std::string>& compiled_kinds();

/// Values that mean the same on both sides. Others are expressions of the source, or names.
const std::set<std::string>& comparable_values();

/// The source reads one call as one thing where the compiler has another operation for it.
bool related(const std::string& source, const std::string& compiled);

}  // namespace cutelab::compiled
