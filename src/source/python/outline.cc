#include "source/python/outline.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "source/python/characters.h"

namespace cutelab::source::python {
namespace {

/// Goes over the logical lines of a text. It looks no closer than at strings, comments and brackets, which
/// decide where a line ends.
class Outliner {
 public:
  explicit Outliner(std::string text) : text_(std::move(text)) {}

  std::string run() {
    while (at_ < text_.size()) line();
    return std::move(text_);
  }

 private:
  static constexpr std::string_view stand_in = "pass";
  static constexpr std::size_t no_body = SIZE_MAX;

  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  void line() {
    std::size_t begin = at_;
    while (at(begin) == ' ' || at(begin) == '\t') ++begin;
    const std::size_t indent = begin - at_;
    const char first = at(begin);
    if (first == '\n' || first == '\r' || first == '#' || first == '\0') {
      at_ = std::min(text_.find('\n', begin), text_.size() - 1) + 1;
      return;
    }
    if (body_of_ != no_body && indent <= body_of_) {
      body_of_ = no_body;
      stands_ = false;
    }
    at_ = begin;
    const char last = to_line_end();
    if (body_of_ != no_body)
      leave_out(begin);
    else if (last == ':' && defines_function(begin))
      body_of_ = indent;
  }

  bool defines_function(std::size_t begin) const {
    std::string_view words = std::string_view(text_).substr(begin);
    if (words.starts_with("async ")) words.remove_prefix(words.find_first_not_of(' ', 5));
    return words.starts_with("def ");
  }

  /// Blanks the logical line from `begin` to where the walk is now.
  void leave_out(std::size_t begin) {
    if (!stands_) {
      stands_ = true;
      const auto end = std::min(text_.find_first_of("\r\n", begin), text_.size());
      if (end < begin + stand_in.size()) return;
      text_.replace(begin, stand_in.size(), stand_in);
      begin += stand_in.size();
    }
    for (; begin < at_; ++begin)
      if (text_[begin] != '\n' && text_[begin] != '\r') text_[begin] = ' ';
  }

  /// Past the end of the logical line; its last character that is neither blank nor comment.
  char to_line_end() {
    int depth = 0;
    char last = '\0';
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (class_of(c) == Character::letter || class_of(c) == Character::digit) {
        last = c;
        ++at_;
      } else if (c == '\n') {
        ++at_;
        if (depth == 0) return last;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        last = c;
        string(c);
      } else if (c == '\\') {
        at_ += at(at_ + 1) == '\r' ? 3 : 2;
      } else {
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        if (!is_gap(c)) last = c;
        ++at_;
      }
    }
    at_ = text_.size();
    return last;
  }

  void string(char quote) {
    const bool triple = at(at_ + 1) == quote && at(at_ + 2) == quote;
    for (at_ += triple ? 3 : 1; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\') {
        ++at_;
      } else if (c == quote && (!triple || (at(at_ + 1) == quote && at(at_ + 2) == quote))) {
        at_ += triple ? 3 : 1;
        return;
      } else if (c == '\n' && !triple) {
        return;  // not ended: the parser will say so
      }
    }
    at_ = std::min(at_, text_.size());
  }

  std::string text_;
  std::size_t at_ = 0;
  std::size_t body_of_ = no_body;  ///< indentation of the `def` whose body the walk is in
  bool stands_ = false;            ///< whether that body has its stand-in
};
}  // namespace

std::string outline(std::string text) { return Outliner(std::move(text)).run(); }

}  // namespace cutelab::source::python
