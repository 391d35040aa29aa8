#pragma once
#include <string>

#include "source/tree.h"

namespace cutelab::source {

/// The first difference between two trees of one text: kind, grammar symbol, field, span, parent or order of
/// a node, or the depth of the whole. Empty when there is none. For the tests that hold the parsers together.
std::string tree_difference(const Tree& a, const Tree& b);

}  // namespace cutelab::source
