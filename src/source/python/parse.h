#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "source/python/parser.h"

namespace cutelab::source::python {

/// The nodes of a Python text in the order in which they end, root last; nothing when the text is not one
/// that this parser accepts: also a text with NUL bytes or invalid UTF-8.
std::optional<std::vector<Made>> parse(std::string_view text);

}  // namespace cutelab::source::python
