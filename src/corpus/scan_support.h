#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/file_facts.h"
#include "corpus/signals.h"

namespace cutelab::corpus {

/// Asked for each byte of a source: by table.
inline constexpr auto identifier_starts = [] {
  std::array<bool, 256> starts{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    starts[byte] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || byte >= 0x80;
  }
  return starts;
}();
inline constexpr auto identifier_parts = [] {
  std::array<bool, 256> parts = identifier_starts;
  for (const char c : std::string_view("0123456789")) parts[static_cast<std::size_t>(c)] = true;
  return parts;
}();
inline bool is_identifier_start(char c) { return identifier_starts[static_cast<unsigned char>(c)]; }
inline bool is_identifier_part(char c) { return identifier_parts[static_cast<unsigned char>(c)]; }

/// A position in a text that counts lines; the base of both scanners.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  bool done() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool looking_at(std::string_view s) const { return text_.substr(at_, s.size()) == s; }
  int line() const { return line_; }
  std::size_t position() const { return at_; }
  std::string_view text() const { return text_; }
  void advance(std::size_t n = 1) {
    for (; n > 0 && at_ < text_.size(); --n, ++at_)
      if (text_[at_] == '\n') ++line_;
  }
  /// Over blanks of a line, of which there is at least one.
  void skip_blanks() {
    do ++at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'));
  }
  /// To the end of the line, before its newline.
  void to_line_end() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  std::string_view identifier();  ///< reads one, moves past it
  /// Reads a quoted text whose opening quotes are at the cursor, and moves past its end. Unterminated: to the
  /// end of the line (single) or file (triple).
  std::string_view quoted(bool triple);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// Collects signal hits by index while a file is scanned.
class HitCounter {
 public:
  explicit HitCounter(const SignalTable& table)
      : table_(table), hits_(static_cast<std::size_t>(table.size())) {}
  void see(std::string_view identifier, int line);
  /// An identifier after `qualifier` and a dot: counts as both together where a signal says so, else by
  /// itself.
  void see(std::string_view qualifier, std::string_view identifier, int line);
  std::vector<SignalHit> take() const;  ///< in the order of their lines

 private:
  const SignalTable& table_;
  std::vector<SignalHit> hits_;
  std::string both_;  ///< qualifier and identifier; its memory is used again
};

/// "sm_90", "sm_100a" standing as words in `text`.
void find_arch_literals(std::string_view text, int line, std::vector<Mention>& out);

/// First sentence, whitespace squeezed, at most 160 bytes; skips headings made of punctuation.
std::string first_sentence(std::string_view text);

/// Run commands in a docstring that starts on `line`.
void find_commands(std::string_view docstring, int line, std::vector<DocCommand>& out);

/// Appends unless that name is there already.
void add_once(std::vector<Mention>& list, std::string_view name, int line);

int count_lines(std::string_view text);

}  // namespace cutelab::corpus
