#include "source/python/parser.h"

namespace cutelab::source::python {

/// `{expression = !r :spec}` of an f-string whose quote is `quote`; `begin` is its brace. Returns where the
/// text goes on behind the closing brace.
std::uint32_t Parser::interpolation(std::uint32_t begin, char quote, Shape shape) {
  const Nested nested(*this);
  if (failed_) return begin;
  const Mark mark = {static_cast<std::uint32_t>(nodes_.size()), begin};
  last_end_ = begin + 1;
  lexer_.move_to(begin + 1);
  lexer_.open_bracket();
  token_ = lexer_.next();
  if (is(Tok::k_yield))
    yield();
  else
    expression_or_list();
  set_field(Field::expression_field);
  accept(Tok::assign);
  if (is(Tok::conversion)) leaf(Shape::type_conversion);
  std::uint32_t end = token_.end;
  if (is(Tok::colon)) {
    end = format_specifier(quote);
    lexer_.close_bracket();
  } else if (!is(Tok::rbrace)) {
    fail();
  }
  if (failed_) return begin;
  flush();
  last_end_ = end;
  close(shape, mark);
  return end;
}

/// From the colon, the current token, to the brace that ends the interpolation; returns the end of that
/// brace.
std::uint32_t Parser::format_specifier(char quote) {
  const Mark mark = start();
  std::uint32_t at = token_.end;
  while (!failed_) {
    const char c = lexer_.at(at);
    if (c == '}') {
      last_end_ = at;
      close(Shape::format_specifier, mark);
      return at + 1;
    }
    if (c == '{')
      at = interpolation(at, quote, Shape::format_expression);
    else if (c == '\n' || c == '\0' || c == quote)
      fail();
    else
      ++at;
  }
  return at;
}

}  // namespace cutelab::source::python
