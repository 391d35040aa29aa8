#pragma once
#include <cstdint>
#include <string_view>

namespace cutelab::source::python {

/// Tokens of Python. Words that are keywords only in some places (`match`, `print`) have tokens of their own
/// between first_name and last_name: each of them is also a name.
enum class Tok : std::uint8_t {
  // clang-format off
  end, bad, newline, indent, dedent,
  name, word_print, word_exec, word_type, word_match, word_case, word_async, word_await,
  integer, floating, string,
  // punctuation
  lparen, rparen, lbracket, rbracket, lbrace, rbrace, comma, colon, semicolon, dot, ellipsis, arrow, assign, conversion, walrus,
  // operators
  plus, minus, star, slash, double_slash, percent, at, power, pipe, ampersand, caret, tilde, shift_left, shift_right,
  less, less_equal, equal, not_equal, greater_equal, greater,
  plus_assign, minus_assign, star_assign, slash_assign, at_assign, double_slash_assign, percent_assign, power_assign,
  shift_right_assign, shift_left_assign, ampersand_assign, caret_assign, pipe_assign,
  // keywords
  k_and, k_as, k_assert, k_break, k_class, k_continue, k_def, k_del, k_elif, k_else, k_except, k_finally, k_for, k_from, k_global,
  k_if, k_import, k_in, k_is, k_lambda, k_nonlocal, k_not, k_or, k_pass, k_raise, k_return, k_try, k_while, k_with, k_yield,
  k_true, k_false, k_none,
  // clang-format on
  first_name = name,
  last_name = word_await,
  first_augmented = plus_assign,
  last_augmented = pipe_assign,
};

inline bool is_name(Tok t) { return t >= Tok::first_name && t <= Tok::last_name; }
inline bool is_augmented(Tok t) { return t >= Tok::first_augmented && t <= Tok::last_augmented; }

struct Token {
  Tok kind = Tok::end;
  std::uint32_t begin = 0, end = 0;
};

/// The token of a word: a keyword, a word that is one in places, or a plain name.
Tok word_token(std::string_view word);

}  // namespace cutelab::source::python
