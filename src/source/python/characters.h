#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace cutelab::source::python {

enum class Character : std::uint8_t { other, letter, digit, quote, mark, gap };

constexpr std::array<Character, 256> character_classes() {
  std::array<Character, 256> classes = {};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] = Character::letter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] = Character::letter;
  classes['_'] = Character::letter;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = Character::digit;
  for (const char c : std::string_view("()[]{},:;.=!+-*/%@|&^~<>"))
    classes[static_cast<std::size_t>(c)] = Character::mark;
  for (const char c : std::string_view(" \t\f\r\n#\\")) classes[static_cast<std::size_t>(c)] = Character::gap;
  classes['"'] = classes['\''] = Character::quote;
  classes[0] = Character::gap;  // the end of the text
  return classes;
}
inline constexpr auto classes = character_classes();

inline Character class_of(char c) { return classes[static_cast<unsigned char>(c)]; }
/// Begins, or is, what stands between tokens: blanks, line ends, comments, continuations, the end of the
/// text.
inline bool is_gap(char c) { return class_of(c) == Character::gap; }
inline bool is_word(char c) { return class_of(c) == Character::letter || class_of(c) == Character::digit; }
inline bool is_decimal(char c) { return c >= '0' && c <= '9'; }
inline bool is_octal(char c) { return c >= '0' && c <= '7'; }
inline bool is_binary(char c) { return c == '0' || c == '1'; }
inline bool is_hexadecimal(char c) { return is_decimal(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

/// Stops the plain text of a literal: quotes, backslashes, braces, line ends.
inline bool ends_plain_text(char c) {
  return c == '"' || c == '\'' || c == '\\' || c == '{' || c == '}' || c == '\n';
}

/// r, b, f, u, and r with b or f in either order, in any case.
inline bool is_string_prefix(std::string_view word) {
  const auto lower = [&](std::size_t i) { return static_cast<char>(word[i] | 0x20); };
  if (word.size() == 1) return lower(0) == 'r' || lower(0) == 'b' || lower(0) == 'f' || lower(0) == 'u';
  if (word.size() != 2) return false;
  const char other = lower(0) == 'r' ? lower(1) : lower(0);
  return (lower(0) == 'r' || lower(1) == 'r') && (other == 'b' || other == 'f');
}

}  // namespace cutelab::source::python
