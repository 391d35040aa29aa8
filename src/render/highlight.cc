#include "render/highlight.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "render/html.h"

namespace cutelab::render {
namespace {

constexpr std::array<std::string_view, 35> python_keywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
constexpr std::array<std::string_view, 60> cpp_keywords = {"__device__",
                                                           "__global__",
                                                           "__host__",
                                                           "__launch_bounds__",
                                                           "__restrict__",
                                                           "__shared__",
                                                           "alignas",
                                                           "auto",
                                                           "bool",
                                                           "break",
                                                           "case",
                                                           "char",
                                                           "class",
                                                           "const",
                                                           "const_cast",
                                                           "constexpr",
                                                           "continue",
                                                           "decltype",
                                                           "default",
                                                           "delete",
                                                           "do",
                                                           "double",
                                                           "dynamic_cast",
                                                           "else",
                                                           "enum",
                                                           "explicit",
                                                           "extern",
                                                           "false",
                                                           "float",
                                                           "for",
                                                           "friend",
                                                           "if",
                                                           "inline",
                                                           "int",
                                                           "long",
                                                           "namespace",
                                                           "new",
                                                           "nullptr",
                                                           "operator",
                                                           "private",
                                                           "protected",
                                                           "public",
                                                           "reinterpret_cast",
                                                           "return",
                                                           "short",
                                                           "signed",
                                                           "sizeof",
                                                           "static",
                                                           "static_assert",
                                                           "static_cast",
                                                           "struct",
                                                           "switch",
                                                           "template",
                                                           "this",
                                                           "true",
                                                           "typename",
                                                           "union",
                                                           "unsigned",
                                                           "using",
                                                           "void"};

bool word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool word_part(char c) { return word_start(c) || digit(c); }

/// Cuts the text into coloured pieces and lays them out on lines.
class Highlighter {
 public:
  Highlighter(std::string_view text, SourceLanguage language)
      : text_(text), python_(language == SourceLanguage::python) {}

  std::vector<std::string> lines() {
    while (at_ < text_.size()) token();
    if (!text_.empty() && text_.back() != '\n') out_.push_back(std::move(line_));
    return std::move(out_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool next_is(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  /// Emits text up to `end` in the class; a piece over several lines is closed and opened again on each.
  void emit(std::size_t end, const char* css_class) {
    while (at_ < end) {
      const std::size_t stop = std::min(end, text_.find('\n', at_));
      const std::string_view piece = text_.substr(at_, stop - at_);
      if (!piece.empty()) {
        if (css_class) line_.append("<i class=").append(css_class).append(">");
        line_ += html_escape(piece);
        if (css_class) line_ += "</i>";
      }
      at_ = stop;
      if (at_ < end) {  // a line end
        out_.push_back(std::move(line_));
        line_.clear();
        ++at_;
      }
    }
  }

  void token() {
    const char c = peek();
    if (c == '\n' || c == ' ' || c == '\t' || c == '\r') return blank();
    if (python_ ? c == '#' : next_is("//")) return emit(line_end(), "c");
    if (!python_ && next_is("/*")) return emit(after("*/", at_ + 2), "c");
    if (python_ ? c == '@' && line_is_blank() : c == '#' && line_is_blank()) return directive();
    if (c == '"' || c == '\'') return string();
    if (digit(c)) return number();
    if (word_start(c)) return word();
    punctuation();
  }

  void blank() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (text_[end] == '\n' || text_[end] == ' ' || text_[end] == '\t' || text_[end] == '\r'))
      ++end;
    emit(end, nullptr);
  }

  void punctuation() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && !word_part(text_[end]) &&
           std::string_view(" \t\r\n\"'#@/").find(text_[end]) == std::string_view::npos)
      ++end;
    emit(end, nullptr);
  }

  bool line_is_blank() const { return line_.find_first_not_of(' ') == std::string::npos; }
  std::size_t line_end() const { return std::min(text_.size(), text_.find('\n', at_)); }
  std::size_t after(std::string_view what, std::size_t from) const {
    const std::size_t found = text_.find(what, from);
    return found == std::string_view::npos ? text_.size() : found + what.size();
  }

  void directive() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && (word_part(text_[end]) || (python_ && text_[end] == '.'))) ++end;
    emit(end, "d");
  }

  void string() {
    const char quote = peek();
    if (python_ && peek(1) == quote && peek(2) == quote)
      return emit(closing(std::string(3, quote), at_ + 3, false), "s");
    emit(closing(std::string(1, quote), at_ + 1, true), "s");
  }

  /// Behind the closing quote; the end of the line (or text) when there is none.
  std::size_t closing(const std::string& quote, std::size_t from, bool one_line) const {
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '\\')
        ++i;
      else if (one_line && text_[i] == '\n')
        return i;
      else if (text_.compare(i, quote.size(), quote) == 0)
        return i + quote.size();
    }
    return text_.size();
  }

  void number() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (word_part(text_[end]) || text_[end] == '.' ||
            (!python_ && text_[end] == '\'' && end + 1 < text_.size() && digit(text_[end + 1]))))
      ++end;
    emit(end, "n");
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && word_part(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const char quote = end < text_.size() ? text_[end] : '\0';
    if ((quote == '"' || quote == '\'') && is_prefix(name)) return prefixed_string(name, end);
    const bool keyword = is_keyword(name);
    const bool names = names_next_;
    names_next_ = keyword && (name == "def" || name == "class" || (!python_ && name == "struct"));
    emit(end, keyword ? "k" : names ? "f" : nullptr);
  }

  bool is_keyword(std::string_view name) const {
    if (python_)
      return std::find(python_keywords.begin(), python_keywords.end(), name) != python_keywords.end();
    return std::find(cpp_keywords.begin(), cpp_keywords.end(), name) != cpp_keywords.end();
  }

  bool is_prefix(std::string_view name) const {
    const std::string_view letters = python_ ? "rRbBuUfF" : "RLuU8";
    return name.size() <= 3 && name.find_first_not_of(letters) == std::string_view::npos;
  }

  void prefixed_string(std::string_view prefix, std::size_t quote) {
    if (!python_ && prefix.back() == 'R') {
      const std::size_t open = text_.find('(', quote);
      if (open != std::string_view::npos && open - quote <= 17)
        return emit(after(")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"", open), "s");
    }
    emit(quote, "s");
    string();
  }

  std::string_view text_;
  bool python_;
  std::size_t at_ = 0;
  bool names_next_ = false;
  std::string line_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> highlight(std::string_view text, SourceLanguage language) {
  if (text.find('\r') != std::string_view::npos) {
    const std::string unix_ends = replace_all(std::string(text), "\r\n", "\n");
    return Highlighter(unix_ends, language).lines();
  }
  return Highlighter(text, language).lines();
}

}  // namespace cutelab::render
