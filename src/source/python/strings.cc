#include "source/python/characters.h"
#include "source/python/parser.h"

namespace cutelab::source::python {

/// A string literal while its body is read.
struct Parser::Literal {
  char quote = '"';
  bool triple = false, raw = false, bytes = false, format = false;
  std::uint32_t at = 0;   ///< read up to here
  Mark content = {0, 0};  ///< the string_content being read
  bool open = false;      ///< whether there is one
};

void Parser::strings() {
  const Mark mark = start();
  string();
  if (!is(Tok::string)) return;
  while (is(Tok::string)) string();
  close(Shape::concatenated_string, mark);
}

void Parser::string() {
  const Nested nested(*this);
  if (failed_) return;
  const Mark mark = start();
  Literal literal;
  literal.quote = text_[token_.end - 1];
  literal.at = token_.end;
  std::uint32_t prefix = token_.begin;
  for (; class_of(text_[prefix]) == Character::letter; ++prefix) {
    const char c = static_cast<char>(text_[prefix] | 0x20);
    literal.raw = literal.raw || c == 'r';
    literal.bytes = literal.bytes || c == 'b';
    literal.format = literal.format || c == 'f';
  }
  literal.triple = token_.end - prefix == 3;
  nodes_.push_back({token_.begin, token_.end, 1, Shape::string_start, Field::no_field});
  while (literal.raw ? raw_piece(literal) : plain_piece(literal)) {
  }
  if (failed_) return;
  close(Shape::string, mark);
  lexer_.move_to(literal.at);
  token_ = lexer_.next();
}

/// Reads on to the next thing of interest in a literal without `r`; false after its end (or a failure).
bool Parser::plain_piece(Literal& literal) {
  std::uint32_t at = literal.at;
  const std::uint32_t begin = at;
  const auto size = static_cast<std::uint32_t>(text_.size());
  while (at < size && !ends_plain_text(text_[at])) ++at;
  if (at > begin && !literal.open) literal.content = {static_cast<std::uint32_t>(nodes_.size()), begin};
  literal.open = literal.open || at > begin;
  literal.at = at;
  const char c = lexer_.at(at);
  if (c == '\\') {
    backslash(literal);
    return !failed_;
  }
  if (c == '{' || c == '}') {
    if (literal.format) return brace(literal);
  } else if (c == '"' || c == '\'') {
    if (c == literal.quote && closes(literal)) {
      end_content(literal, at);
      return end_string(literal, at);
    }
  } else if (at >= size || !literal.triple) {  // a line end, or the end of the text
    fail();
    return false;
  }
  if (!literal.open) literal.content = {static_cast<std::uint32_t>(nodes_.size()), at};
  literal.open = true;
  literal.at = at + 1;
  return true;
}

/// A backslash in a literal without `r`.
void Parser::backslash(Literal& literal) {
  if (!literal.open) literal.content = {static_cast<std::uint32_t>(nodes_.size()), literal.at};
  literal.open = true;
  const char next = lexer_.at(literal.at + 1);
  if (static_cast<unsigned char>(next) >= 0x80 || literal.at + 1 >= text_.size()) return fail();
  if (literal.bytes && (next == 'N' || next == 'u' || next == 'U')) {
    // No escape in bytes; the grammar's scanner steps over one character more.
    const char after = lexer_.at(literal.at + 2);
    if (!is_word(after) && after != ' ') return fail();
    literal.at += 3;
    return;
  }
  const std::uint32_t length = escape_length(literal.at);
  if (length == 0) {
    literal.at += 1;
    return;
  }
  nodes_.push_back({literal.at, literal.at + length, 1, Shape::escape_sequence, Field::no_field});
  literal.at += length;
}

/// Length of the escape sequence whose backslash is at `at`; 0 when it is none.
std::uint32_t Parser::escape_length(std::uint32_t at) const {
  const char c = lexer_.at(at + 1);
  const auto hexadecimals = [&](std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      if (!is_hexadecimal(lexer_.at(at + 2 + i))) return 0u;
    return count + 2;
  };
  if (c == 'x') return hexadecimals(2);
  if (c == 'u') return hexadecimals(4);
  if (c == 'U') return hexadecimals(8);
  if (is_decimal(c)) {
    std::uint32_t end = at + 2;
    while (end < at + 4 && is_decimal(lexer_.at(end))) ++end;
    return end - at;
  }
  if (c == '\r') return lexer_.at(at + 2) == '\n' ? 3 : 0;
  if (c == 'N' && lexer_.at(at + 2) == '{') {
    const auto end = text_.find('}', at + 3);
    return end == std::string_view::npos || end == at + 3 ? 0 : static_cast<std::uint32_t>(end) + 1 - at;
  }
  return c == '\n' || std::string_view("'\"abfrntv\\").find(c) != std::string_view::npos ? 2 : 0;
}

/// What the grammar's scanner takes in one go from a literal with `r`; false after the literal's end (or a
/// failure). A go that has stepped over nothing but backslashes and what they guard has, for the scanner, no
/// content: a closing quote then takes them into the string_end, a brace leaves them to the other lexer.
bool Parser::raw_piece(Literal& literal) {
  const std::uint32_t begin = literal.at;
  std::uint32_t at = begin;
  bool content = false;
  for (;;) {
    const char c = lexer_.at(at);
    if (at >= text_.size() || (c == '\n' && !literal.triple)) {
      fail();
      return false;
    }
    if (c == '\\') {
      ++at;
      if (lexer_.at(at) == literal.quote || lexer_.at(at) == '\\') ++at;
      if (lexer_.at(at) == '\r') ++at;
      if (lexer_.at(at) == '\n') ++at;
      continue;
    }
    if (c == literal.quote || (literal.format && (c == '{' || c == '}'))) break;
    ++at;
    content = true;
  }
  literal.at = at;
  const bool quote = lexer_.at(at) == literal.quote;
  if ((content || (quote && !closes(literal))) && !literal.open) {
    literal.content = {static_cast<std::uint32_t>(nodes_.size()), begin};
    literal.open = true;
  }
  if (quote) {
    if (!closes(literal)) {  // one or two quotes inside a triple-quoted literal
      literal.at = at + (lexer_.at(at + 1) == literal.quote ? 2 : 1);
      return true;
    }
    end_content(literal, content ? at : begin);
    return end_string(literal, content ? at : begin);
  }
  if (!content && at != begin) {
    literal.at = begin;
    backslash(literal);
    return !failed_;
  }
  return brace(literal);
}

/// Whether the quote at `literal.at` ends the literal.
bool Parser::closes(const Literal& literal) const {
  return !literal.triple ||
         (lexer_.at(literal.at + 1) == literal.quote && lexer_.at(literal.at + 2) == literal.quote);
}

/// `{{`, `}}` or an interpolation in an f-string.
bool Parser::brace(Literal& literal) {
  const std::uint32_t at = literal.at;
  const char c = lexer_.at(at);
  if (lexer_.at(at + 1) == c) {
    if (!literal.open) literal.content = {static_cast<std::uint32_t>(nodes_.size()), at};
    literal.open = true;
    nodes_.push_back({at, at + 2, 1, Shape::escape_interpolation, Field::no_field});
    literal.at = at + 2;
    return true;
  }
  if (c == '}') {
    fail();
    return false;
  }
  end_content(literal, at);
  literal.at = interpolation(at, literal.quote, Shape::interpolation);
  return !failed_;
}

void Parser::end_content(Literal& literal, std::uint32_t end) {
  if (!literal.open) return;
  last_end_ = end;
  close(Shape::string_content, literal.content);
  literal.open = false;
}

/// The string_end that begins at `begin`; false: nothing is left to read.
bool Parser::end_string(Literal& literal, std::uint32_t begin) {
  literal.at += literal.triple ? 3 : 1;
  last_end_ = literal.at;
  nodes_.push_back({begin, last_end_, 1, Shape::string_end, Field::no_field});
  return false;
}

}  // namespace cutelab::source::python
