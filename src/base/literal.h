#pragma once
#include <string>

namespace cutelab {

/// A text against a literal, lengths first and in place. The library of GCC 12 makes three calls of it, and a
/// reading asks millions of times; that of GCC 13 does as this does. A template, so that what only converts
/// to a text (a path) is not meant.
template <class Char>
bool operator==(const std::basic_string<Char>& text, const Char* literal) {
  using Traits = std::char_traits<Char>;
  const std::size_t length = Traits::length(literal);
  return text.size() == length && Traits::compare(text.data(), literal, length) == 0;
}

}  // namespace cutelab
