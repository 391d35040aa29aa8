#include "source/blank_macros.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cutelab::source {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Macros that stand where a specifier or a pragma may stand and expand to nothing the reading needs.
bool is_attribute_macro(std::string_view word) {
  static constexpr std::array<std::string_view, 26> names = {"CUTE_DEVICE",
                                                             "CUTE_GRID_CONSTANT",
                                                             "CUTE_HOST",
                                                             "CUTE_HOST_DEVICE",
                                                             "CUTE_HOST_RTC",
                                                             "CUTE_INLINE_CONSTANT",
                                                             "CUTE_NO_UNROLL",
                                                             "CUTE_UNROLL",
                                                             "CUTLASS_ATTRIBUTE",
                                                             "CUTLASS_CONSTEXPR_IF_CXX17",
                                                             "CUTLASS_DEVICE",
                                                             "CUTLASS_FORCEINLINE",
                                                             "CUTLASS_GLOBAL",
                                                             "CUTLASS_GRID_CONSTANT",
                                                             "CUTLASS_HOST",
                                                             "CUTLASS_HOST_DEVICE",
                                                             "CUTLASS_HOST_DEVICE_OVERLOAD",
                                                             "CUTLASS_NO_UNROLL",
                                                             "CUTLASS_PRAGMA_NO_UNROLL",
                                                             "CUTLASS_PRAGMA_UNROLL",
                                                             "CUTLASS_UNROLL",
                                                             "FMHA_DEVICE",
                                                             "TL_DEVICE",
                                                             "__forceinline__",
                                                             "__noinline__",
                                                             "__restrict__"};
  return std::binary_search(names.begin(), names.end(), word);
}

/// Where the comment or literal that begins at `at` ends; `at` itself when none begins there.
std::size_t skip_inert(const std::string& text, std::size_t at) {
  const auto line_end = [&] { return std::min(text.find('\n', at), text.size()); };
  if (text.compare(at, 2, "//") == 0) return line_end();
  if (text.compare(at, 2, "/*") == 0) {
    const auto end = text.find("*/", at + 2);
    return end == std::string::npos ? text.size() : end + 2;
  }
  if (text[at] != '"' && text[at] != '\'') return at;
  const auto stop = line_end();
  for (std::size_t i = at + 1; i < stop; ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == text[at])
      return i + 1;
  }
  return at + 1;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (text[i] != '\n') text[i] = ' ';
}

/// The end of a `__launch_bounds__(…)`-like argument list that opens at `open`; npos when it is not closed.
std::size_t matching_parenthesis(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return std::string::npos;
}

/// `f(typename T::U{})`: the grammar knows the word only where a type is declared.
bool stands_in_expression(const std::string& text, std::size_t begin, std::size_t end) {
  const auto before = begin == 0 ? std::string::npos : text.find_last_not_of(" \t\n", begin - 1);
  if (before == std::string::npos || (text[before] != '(' && text[before] != '=')) return false;
  std::size_t name = text.find_first_not_of(" \t", end);
  while (name < text.size() && is_word(text[name])) ++name;
  return name + 1 < text.size() && text[name] == ':' && text[name + 1] == ':';
}

}  // namespace

std::string blank_macros(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    if (const auto end = skip_inert(text, at); end != at) {
      at = end;
      continue;
    }
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word(text.data() + at, end - at);
    if ((word == "__attribute__" || word == "__align__") && end < text.size()) {
      const auto close = text[end] == '(' ? matching_parenthesis(text, end) : std::string::npos;
      if (close != std::string::npos) end = close;
      blank(text, at, end);
    } else if (word == "typename" && stands_in_expression(text, at, end)) {
      blank(text, at, end);
    } else if (is_attribute_macro(word)) {
      blank(text, at, end);
    }
    at = end;
  }
  return text;
}

}  // namespace cutelab::source
