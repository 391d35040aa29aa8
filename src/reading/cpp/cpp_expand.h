#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/tree.h"

namespace cutelab::reading {

/// A source as its preprocessor hands it on: local headers in place, macros put in, branches that are not
/// compiled left out.
struct CppExpanded {
  std::string text;
  struct Segment {
    std::size_t begin;  ///< in `text`
    int file;
    std::size_t from;  ///< in that file: of the first byte, or of the macro's call
    bool whole;        ///< put in for a macro's call
  };
  std::vector<Segment> segments;  ///< in order of `begin`
  const char* limit = nullptr;    ///< what ended the expansion early; null: nothing did
  /// Where a byte of `text` comes from.
  Segment origin(std::size_t at) const;
};

/// Stands where only the build can tell what is compiled, and in an expression for a macro of that kind.
inline constexpr std::string_view cpp_open_place = "cutelab_open_place_";

using CppMacroSettings = std::vector<std::pair<std::string, std::string>>;

/// `texts`: the source, then its headers; `included`: which of them an include of that text in that file
/// means, -1: one that is not seen.
CppExpanded cpp_expand(const std::vector<std::string_view>& texts, const CppMacroSettings& settings,
                       const std::function<int(int, std::string_view)>& included);

/// Encloses the assignments of `(a = 1, b)`, which the grammar takes for a fold; whether there were any.
bool cpp_enclose_commas(CppExpanded& expanded, const source::Tree& tree);

/// The value of an `#if` whose macros are put in already; none: it is not told.
std::optional<long long> cpp_condition(std::string_view text);

}  // namespace cutelab::reading
