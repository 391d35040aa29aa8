#include "source/python/lexer.h"

namespace cutelab::source::python {
namespace {
/// c, or with `=` behind it `with_assign`, or doubled `twice`, or doubled with `=` `twice_assign`.
struct Family {
  Tok once, assign, twice, twice_assign;
};

Family family_of(char c) {
  const auto single = [](Tok once, Tok assign) { return Family{once, assign, Tok::bad, Tok::bad}; };
  switch (c) {
    case ':':
      return single(Tok::colon, Tok::walrus);
    case '=':
      return single(Tok::assign, Tok::equal);
    case '+':
      return single(Tok::plus, Tok::plus_assign);
    case '-':
      return single(Tok::minus, Tok::minus_assign);
    case '%':
      return single(Tok::percent, Tok::percent_assign);
    case '@':
      return single(Tok::at, Tok::at_assign);
    case '|':
      return single(Tok::pipe, Tok::pipe_assign);
    case '&':
      return single(Tok::ampersand, Tok::ampersand_assign);
    case '^':
      return single(Tok::caret, Tok::caret_assign);
    case '*':
      return {Tok::star, Tok::star_assign, Tok::power, Tok::power_assign};
    case '/':
      return {Tok::slash, Tok::slash_assign, Tok::double_slash, Tok::double_slash_assign};
    case '<':
      return {Tok::less, Tok::less_equal, Tok::shift_left, Tok::shift_left_assign};
    case '>':
      return {Tok::greater, Tok::greater_equal, Tok::shift_right, Tok::shift_right_assign};
    default:
      return single(Tok::bad, Tok::bad);
  }
}
}  // namespace

Token Lexer::punctuation() {
  const std::uint32_t begin = position_;
  const char c = at(begin), second = at(begin + 1);
  switch (c) {
    case '(':
    case '[':
    case '{':
      ++depth_;
      return made(c == '(' ? Tok::lparen : c == '[' ? Tok::lbracket : Tok::lbrace, begin, 1);
    case ')':
    case ']':
    case '}':
      if (depth_ == 0) return bad();
      --depth_;
      return made(c == ')' ? Tok::rparen : c == ']' ? Tok::rbracket : Tok::rbrace, begin, 1);
    case ',':
      return made(Tok::comma, begin, 1);
    case ';':
      return made(Tok::semicolon, begin, 1);
    case '~':
      return made(Tok::tilde, begin, 1);
    case '.':
      return second == '.' && at(begin + 2) == '.' ? made(Tok::ellipsis, begin, 3) : made(Tok::dot, begin, 1);
    case '!':
      if (second == '=') return made(Tok::not_equal, begin, 2);
      return second >= 'a' && second <= 'z' ? made(Tok::conversion, begin, 2) : bad();
    case '-':
      if (second == '>') return made(Tok::arrow, begin, 2);
      break;
    case '<':
      if (second == '>') return bad();
      break;
    default:
      break;
  }
  const Family family = family_of(c);
  if (family.once == Tok::bad) return bad();
  if (second == '=') return made(family.assign, begin, 2);
  if (second != c || family.twice == Tok::bad) return made(family.once, begin, 1);
  return at(begin + 2) == '=' ? made(family.twice_assign, begin, 3) : made(family.twice, begin, 2);
}

}  // namespace cutelab::source::python
