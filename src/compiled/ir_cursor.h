#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cutelab::compiled::ir {

inline bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool digit(char c) { return c >= '0' && c <= '9'; }
inline bool name_character(char c) { return letter(c) || digit(c) || c == '.' || c == '$' || c == '-'; }

/// Characters at which the scan of an operation's text has to look; all others are passed over.
constexpr std::array<bool, 256> special_characters() {
  std::array<bool, 256> table{};
  for (const char c : {'%', '"', '(', ')', '[', ']', '<', '>', '{', '}', '\n', '/'})
    table[static_cast<unsigned char>(c)] = true;
  return table;
}
inline constexpr auto special = special_characters();

inline char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>'; }

inline std::string printable_character(char c) {
  return c >= ' ' && c < 127 ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

/// A place in the text, and the first thing that was wrong with it.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

 protected:
  bool skip_string() {
    const std::size_t begin = at_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        ++at_;
        return true;
      } else if (text_[at_] == '\n') {
        break;
      }
    }
    fail(begin, "a string is not closed");
    return false;
  }

  std::string_view value_name() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && name_character(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void skip_blank() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n')
        ++line_;
      else if (c == '/' && text_.substr(at_, 2) == "//")
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      else if (c != ' ' && c != '\t' && c != '\r')
        return;
    }
  }

  /// Of "%arg0: type, …" or "%arg0: type {…} loc(…)", without moving on.
  std::string_view argument_type() const {
    std::size_t at = at_;
    if (at >= text_.size() || text_[at] != ':') return {};
    const std::size_t begin = at + 2;
    int depth = 0;
    for (at = begin; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '\n' || (depth == 0 && (c == ',' || c == ' ' || c == ')'))) break;
      if (c == '<' || c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']' || (c == '>' && text_[at - 1] != '-')) --depth;
    }
    return begin < text_.size() ? text_.substr(begin, at - begin) : std::string_view{};
  }

  Error error(std::size_t at, std::string wrong) const {
    const std::string_view before = text_.substr(0, std::min(at, text_.size()));
    std::size_t line = 1;
    std::size_t start = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] == '\n') {
        ++line;
        start = i + 1;
      }
    return {ErrorKind::input, "read the compiler's form", std::move(wrong),
            fmt::format("line {}, column {}", line, before.size() - start + 1),
            "give the text of an MLIR module as the DSL writes it"};
  }

  void fail(std::size_t at, std::string wrong) {
    if (!failed_) failed_ = error(at, std::move(wrong));
    at_ = text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::optional<Error> failed_;
};

}  // namespace cutelab::compiled::ir
