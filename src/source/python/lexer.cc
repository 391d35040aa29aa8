#include "source/python/lexer.h"

#include "source/python/characters.h"

namespace cutelab::source::python {
namespace {
constexpr std::uint32_t deepest_indent = 255;  ///< the scanner of the grammar keeps eight bits of it
constexpr std::size_t most_indents = 200;
}  // namespace

bool Lexer::continuation_at(std::uint32_t position) const {
  return at(position + 1) == '\n' || (at(position + 1) == '\r' && at(position + 2) == '\n');
}

std::uint32_t Lexer::comment_end(std::uint32_t position) const {
  const auto end = text_.find('\n', position);
  return static_cast<std::uint32_t>(end == std::string_view::npos ? text_.size() : end);
}

Tok Lexer::skip_gap() {
  continuations_ = 0;
  for (;;) {
    const char c = here();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++position_;
    } else if (c == '\r' && at(position_ + 1) == '\n') {
      ++position_;
    } else if (c == '\n') {
      if (depth_ == 0) {  // continuations before a line's end belong to the lines before the next statement
        extras_.resize(extras_.size() - continuations_);
        return Tok::newline;
      }
      ++position_;
    } else if (c == '#') {
      if (depth_ == 0 && continuations_) return Tok::bad;
      const std::uint32_t end = comment_end(position_);
      extras_.push_back({position_, end, true});
      position_ = end;
      continuations_ = 0;
    } else if (c == '\\') {
      if (!continuation_at(position_)) return Tok::bad;
      const std::uint32_t end = position_ + (at(position_ + 1) == '\r' ? 3 : 2);
      extras_.push_back({position_, end, false});
      position_ = end;
      ++continuations_;
    } else if (position_ >= text_.size()) {
      return depth_ == 0 && !continuations_ ? Tok::newline : Tok::bad;
    } else {
      return Tok::name;
    }
  }
}

Token Lexer::next() {
  const char c = here();
  if (c == ' ' && !is_gap(at(position_ + 1))) {  // the common case: one blank
    ++position_;
    continuations_ = 0;
    return token();
  }
  if (!is_gap(c)) {
    continuations_ = 0;
    return token();
  }
  const std::uint32_t begin = position_;
  const Tok found = skip_gap();
  if (found == Tok::newline) {
    position_ = extras_.empty() ? begin : extras_.back().end;
    lines_read_ = false;
    return {Tok::newline, position_, position_};
  }
  return found == Tok::bad ? bad() : token();
}

/// From the end of a line to the next statement: its indentation, and what stands on the way.
void Lexer::read_lines() {
  line_extras_.clear();
  line_extra_ = 0;
  lines_read_ = true;
  lines_bad_ = false;
  std::uint32_t indent = 0;
  bool line_ended = false, continued = false, comments = false, continuations = false;
  for (std::uint32_t byte = position_;;) {
    const char c = at(byte);
    if (c == ' ') {
      ++indent;
      ++byte;
    } else if (c == '\t') {
      indent += 8;
      ++byte;
    } else if (c == '\n') {
      line_ended = true;
      continued = false;
      indent = 0;
      ++byte;
    } else if (c == '\f' || (c == '\r' && at(byte + 1) == '\n')) {
      indent = 0;
      ++byte;
    } else if (c == '#') {
      const std::uint32_t end = comment_end(byte);
      line_extras_.push_back({byte, end, indent, true});
      comments = true;
      byte = end;
    } else if (c == '\\' && continuation_at(byte)) {
      const std::uint32_t end = byte + (at(byte + 1) == '\r' ? 3 : 2);
      line_extras_.push_back({byte, end, 0, false});
      continued = continuations = true;
      byte = end;
    } else {
      const bool ended = byte >= text_.size();
      indent_ = ended ? 0 : indent;
      statement_ = byte;
      lines_bad_ = c == '\\' || c == '\r' || continued || (comments && continuations) ||
                   indent_ > deepest_indent || (!ended && !line_ended && indent != 0);
      return;
    }
  }
}

Token Lexer::at_line_start() {
  if (!lines_read_) read_lines();
  if (lines_bad_) return bad();
  for (;;) {
    const std::uint32_t block = indents_.back();
    const LineExtra* extra = line_extra_ < line_extras_.size() ? &line_extras_[line_extra_] : nullptr;
    if (indent_ < block && !(extra && extra->comment && extra->indent >= block)) {
      indents_.pop_back();
      return {Tok::dedent, position_, position_};
    }
    if (!extra) break;
    extras_.push_back({extra->begin, extra->end, extra->comment});
    ++line_extra_;
  }
  lines_read_ = false;
  position_ = statement_;
  if (indent_ > indents_.back()) return bad();
  if (position_ >= text_.size()) return {Tok::end, position_, position_};
  continuations_ = 0;
  return token();
}

Token Lexer::after_colon() {
  std::uint32_t at_byte = position_;
  while (at(at_byte) == ' ' || at(at_byte) == '\t') ++at_byte;
  if (at(at_byte) == '#') {
    const std::uint32_t end = comment_end(at_byte);
    extras_.push_back({at_byte, end, true});
    at_byte = position_ = end;
  }
  const char c = at(at_byte);
  if (c != '\n' && !(c == '\r' && at(at_byte + 1) == '\n') && at_byte < text_.size()) return next();
  read_lines();
  if (lines_bad_ || indents_.size() >= most_indents) return bad();
  if (indent_ <= indents_.back()) return {Tok::newline, position_, position_};
  indents_.push_back(indent_);
  return {Tok::indent, position_, position_};
}

Token Lexer::made(Tok kind, std::uint32_t begin, std::uint32_t length) {
  position_ = begin + length;
  return {kind, begin, position_};
}

Token Lexer::token() {
  const char c = here();
  switch (class_of(c)) {
    case Character::letter:
      return word();
    case Character::digit:
      return number();
    case Character::quote: {
      const bool triple = at(position_ + 1) == c && at(position_ + 2) == c;
      if (continuations_) extras_.resize(extras_.size() - continuations_);
      return made(Tok::string, position_, triple ? 3 : 1);
    }
    case Character::mark:
      if (c == '.' && is_decimal(at(position_ + 1))) return number();
      return punctuation();
    default:
      return bad();
  }
}

Token Lexer::word() {
  const std::uint32_t begin = position_;
  std::uint32_t end = begin + 1;
  while (is_word(at(end))) ++end;
  const char after = at(end);
  if (static_cast<unsigned char>(after) >= 0x80) return bad();
  if (after == '"' || after == '\'') {
    if (!is_string_prefix(text_.substr(begin, end - begin))) return bad();
    const bool triple = at(end + 1) == after && at(end + 2) == after;
    if (continuations_) extras_.resize(extras_.size() - continuations_);
    return made(Tok::string, begin, end - begin + (triple ? 3 : 1));
  }
  position_ = end;
  return {word_token(text_.substr(begin, end - begin)), begin, end};
}

/// The end of a run of digits with single underscores between them; `position` itself when none is there.
std::uint32_t Lexer::digits(std::uint32_t position, bool (*is_digit)(char)) const {
  std::uint32_t end = position;
  while (is_digit(at(end)) || (at(end) == '_' && end > position && is_digit(at(end + 1)))) ++end;
  return end;
}

Token Lexer::number() {
  const std::uint32_t begin = position_;
  Tok kind = Tok::integer;
  std::uint32_t end = begin;
  const char base = static_cast<char>(at(begin + 1) | 0x20);
  if (at(begin) == '0' && (base == 'x' || base == 'o' || base == 'b')) {
    auto* const is_digit = base == 'x' ? &is_hexadecimal : base == 'o' ? &is_octal : &is_binary;
    const std::uint32_t first = at(begin + 2) == '_' ? begin + 3 : begin + 2;
    end = digits(first, is_digit);
    if (end == first) return bad();
  } else {
    end = digits(begin, &is_decimal);
    if (at(end) == '.') {
      kind = Tok::floating;
      end = digits(end + 1, &is_decimal);
    }
    if ((at(end) | 0x20) == 'e') {
      const std::uint32_t first = at(end + 1) == '+' || at(end + 1) == '-' ? end + 2 : end + 1;
      const std::uint32_t last = digits(first, &is_decimal);
      if (last == first) return bad();
      kind = Tok::floating;
      end = last;
    }
    if ((at(end) | 0x20) == 'j') ++end;
  }
  if (is_word(at(end)) || static_cast<unsigned char>(at(end)) >= 0x80) return bad();
  position_ = end;
  return {kind, begin, end};
}

}  // namespace cutelab::source::python
