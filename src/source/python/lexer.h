#pragma once
#include <string_view>
#include <vector>

#include "source/python/tokens.h"

namespace cutelab::source::python {

/// What may stand between any two tokens and is a node all the same.
struct Extra {
  std::uint32_t begin, end;
  bool comment;  ///< else a line continuation
};

/// Tokens of a Python text, one at a time, as the pinned tree-sitter grammar and its scanner see them: a tab
/// counts eight columns, a comment decides by its own indentation on which side of a dedent it falls. What it
/// does not know (names beyond ASCII, a lone carriage return, a number run into a word) is Tok::bad.
class Lexer {
 public:
  explicit Lexer(std::string_view text, std::uint32_t begin) : text_(text), position_(begin) {}

  Token next();           ///< in the middle of a line
  Token at_line_start();  ///< where a statement begins a line: dedent, end or the statement's first token
  Token
  after_colon();  ///< where a suite begins: indent, newline (an empty suite) or a token on the same line

  /// Comments and continuations met before the last token, oldest first; the caller takes them.
  std::vector<Extra>& extras() { return extras_; }
  /// Where the next token is looked for: the string parser reads the text itself and moves it.
  std::uint32_t position() const { return position_; }
  void move_to(std::uint32_t position) { position_ = position; }
  void open_bracket() { ++depth_; }
  void close_bracket() { --depth_; }
  int depth() const { return depth_; }
  char at(std::uint32_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  std::string_view text() const { return text_; }

 private:
  /// What stands on the lines before a statement.
  struct LineExtra {
    std::uint32_t begin, end;
    std::uint32_t indent;
    bool comment;
  };
  char here() const { return at(position_); }
  bool continuation_at(std::uint32_t position) const;
  std::uint32_t comment_end(std::uint32_t position) const;
  Tok skip_gap();  ///< newline, bad, or anything else when a token follows
  void read_lines();
  Token token();
  Token word();
  Token number();
  Token punctuation();
  Token made(Tok kind, std::uint32_t begin, std::uint32_t length);
  Token bad() const { return {Tok::bad, position_, position_}; }
  std::uint32_t digits(std::uint32_t position, bool (*is_digit)(char)) const;

  std::string_view text_;
  std::uint32_t position_;
  int depth_ = 0;  ///< open brackets
  std::vector<std::uint32_t> indents_ = {0};
  std::vector<Extra> extras_;
  std::size_t continuations_ =
      0;  ///< the last extras_, when they are continuations that a string would swallow
  // The lines before the next statement, read once, given out around the dedents.
  std::vector<LineExtra> line_extras_;
  std::size_t line_extra_ = 0;
  std::uint32_t indent_ = 0;
  std::uint32_t statement_ = 0;  ///< where the statement's first token begins
  bool lines_read_ = false, lines_bad_ = false;
};

}  // namespace cutelab::source::python
