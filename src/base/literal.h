#pragma once
#include <string>
#include <string_view>

namespace cutelab {

/// A text against a literal, lengths first and in place. The library of GCC 12 makes three calls of it, and a
/// reading asks millions of times; that of GCC 13 does as this does. A template, so that what only converts
/// to a text (a path) is not meant; inline in every build, so that the compiler counts the literal.
template <class Char>
[[gnu::always_inline]] inline bool operator==(const std::basic_string<Char>& text, const Char* literal) {
  using Traits = std::char_traits<Char>;
  const std::size_t length = Traits::length(literal);
  return text.size() == length && Traits::compare(text.data(), literal, length) == 0;
}
template <class Char>
[[gnu::always_inline]] inline bool operator==(std::basic_string_view<Char> text, const Char* literal) {
  using Traits = std::char_traits<Char>;
  const std::size_t length = Traits::length(literal);
  return text.size() == length && Traits::compare(text.data(), literal, length) == 0;
}

}  // namespace cutelab
