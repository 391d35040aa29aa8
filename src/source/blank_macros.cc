#include "source/blank_macros.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace cutelab::source {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Macros that stand where a specifier or a pragma may stand and expand to nothing the reading needs.
bool is_attribute_macro(std::string_view word) {
  static constexpr std::array<std::string_view, 27> names = {"CUTE_DEVICE",
                                                             "CUTE_GRID_CONSTANT",
                                                             "CUTE_HOST",
                                                             "CUTE_HOST_DEVICE",
                                                             "CUTE_HOST_RTC",
                                                             "CUTE_INLINE_CONSTANT",
                                                             "CUTE_NO_UNROLL",
                                                             "CUTE_UNROLL",
                                                             "CUTLASS_ATTRIBUTE",
                                                             "CUTLASS_CONSTEXPR_IF_CXX17",
                                                             "CUTLASS_DEVICE",
                                                             "CUTLASS_FORCEINLINE",
                                                             "CUTLASS_GLOBAL",
                                                             "CUTLASS_GRID_CONSTANT",
                                                             "CUTLASS_HOST",
                                                             "CUTLASS_HOST_DEVICE",
                                                             "CUTLASS_HOST_DEVICE_OVERLOAD",
                                                             "CUTLASS_LAMBDA_FUNC_INLINE",
                                                             "CUTLASS_NO_UNROLL",
                                                             "CUTLASS_PRAGMA_NO_UNROLL",
                                                             "CUTLASS_PRAGMA_UNROLL",
                                                             "CUTLASS_UNROLL",
                                                             "FMHA_DEVICE",
                                                             "TL_DEVICE",
                                                             "__forceinline__",
                                                             "__noinline__",
                                                             "__restrict__"};
  return std::binary_search(names.begin(), names.end(), word);
}

/// Where the comment or literal that begins at `at` ends; `at` itself when none begins there.
std::size_t skip_inert(const std::string& text, std::size_t at) {
  const auto line_end = [&] { return std::min(text.find('\n', at), text.size()); };
  if (text.compare(at, 2, "//") == 0) return line_end();
  if (text.compare(at, 2, "/*") == 0) {
    const auto end = text.find("*/", at + 2);
    return end == std::string::npos ? text.size() : end + 2;
  }
  if (text[at] != '"' && text[at] != '\'') return at;
  const auto stop = line_end();
  for (std::size_t i = at + 1; i < stop; ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == text[at])
      return i + 1;
  }
  return at + 1;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (text[i] != '\n') text[i] = ' ';
}

constexpr std::size_t longest_list = 4096;  ///< bytes: a scan ends where a file is not what it looks like

/// Where `open` and what it holds end; npos when it is not closed.
std::size_t matching(const std::string& text, std::size_t open) {
  const char opens = text[open];
  const char closes = opens == '(' ? ')' : opens == '{' ? '}' : '>';
  int depth = 0;
  const std::size_t stop = std::min(text.size(), open + longest_list);
  for (std::size_t i = open; i < stop; ++i) {
    if (text[i] == opens) ++depth;
    if (text[i] == closes && --depth == 0) return i + 1;
    if (opens == '<' && (text[i] == ';' || text[i] == '{')) break;
  }
  return std::string::npos;
}

/// Where the qualified name that begins at `at` ends: `decltype(x)::T<int>::U`; `at` where it is not
/// qualified.
std::size_t qualified_name(const std::string& text, std::size_t at) {
  std::size_t end = at;
  for (bool qualified = false;; qualified = true) {
    const std::size_t word = end;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == word) return at;
    if (text.compare(word, end - word, "template") == 0) end = text.find_first_not_of(" ", end);
    if (end >= text.size()) return at;
    if (text[end] == '<' || (text[end] == '(' && text.compare(word, end - word, "decltype") == 0)) {
      const auto close = matching(text, end);
      if (close == std::string::npos) return at;
      end = close;
    }
    if (text.compare(end, 2, "::") != 0) return qualified ? end : at;
    end += 2;
    if (text.compare(end, 9, "template ") == 0) end += 9;
  }
}

/// `f(a, typename T::U{})`, `return typename T::U(a)`: the grammar knows the word only where a type is
/// declared.
bool stands_in_expression(const std::string& text, std::size_t begin, std::size_t end) {
  const std::size_t name = text.find_first_not_of(" \t", end);
  if (name == std::string::npos) return false;
  const auto name_end = qualified_name(text, name);
  if (name_end == name) return false;
  const auto after = text.find_first_not_of(" \t\n", name_end);
  if (after != std::string::npos && (text[after] == '{' || text[after] == '(')) return true;
  const auto before = begin == 0 ? std::string::npos : text.find_last_not_of(" \t\n", begin - 1);
  return before != std::string::npos && (text[before] == '(' || text[before] == '=');
}

/// `rank(decltype(x){})`: to the reading x itself, which the grammar knows.
void plain_value(std::string& text, std::size_t at, std::size_t end) {
  if (end >= text.size() || text[end] != '(') return;
  const auto close = matching(text, end);
  if (close == std::string::npos || text.compare(close, 2, "{}") != 0) return;
  blank(text, at, end);
  blank(text, close, close + 2);
}

/// `void f(T x = {})`: a default that the grammar does not know; any value has its place.
void plain_default(std::string& text, std::size_t brace, const std::string& brackets) {
  if (brackets.empty() || brackets.back() != '(' || brace == 0) return;
  const auto before = text.find_last_not_of(" \t\n", brace - 1);
  if (before == std::string::npos || text[before] != '=') return;
  const auto close = matching(text, brace);
  if (close == std::string::npos) return;
  blank(text, brace, close);
  text[brace] = '0';
}

/// `enum : int {`, whose grammar asks for a name.
void plain_enumeration(std::string& text, std::size_t end) {
  const auto colon = text.find_first_not_of(" ", end);
  if (colon == std::string::npos || text[colon] != ':') return;
  const auto brace = text.find_first_of("{;", colon);
  if (brace != std::string::npos && text[brace] == '{') blank(text, colon, brace);
}

/// A macro, and the list behind it, that the reading does without.
bool is_macro_with_list(std::string_view word) {
  return word == "__attribute__" || word == "__maxnreg__" || word == "CUTE_STATIC_ASSERT_V";
}

void follow_brackets(std::string& brackets, char c) {
  if (c == '(' || c == '{' || c == '[') brackets.push_back(c);
  if ((c == ')' || c == '}' || c == ']') && !brackets.empty()) brackets.pop_back();
}

/// Branches of `#if 0` and `#if 1` that no build takes, blanked: nothing in them is a fact.
class DeadBranches {
 public:
  explicit DeadBranches(std::string& text) : text_(text) {}

  /// The directive whose `#` stands at `at`; `brackets` as the live text has them. Where its line ends.
  std::size_t at_directive(std::size_t at, std::string& brackets) {
    const auto line_end = std::min(text_.find('\n', at), text_.size());
    const auto word = std::min(text_.find_first_not_of(" \t", at + 1), line_end);
    std::size_t end = word;
    while (end < line_end && is_word(text_[end])) ++end;
    const std::string_view name(text_.data() + word, end - word);
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      const auto value = std::min(text_.find_first_not_of(" \t", end), line_end);
      const bool one_character = value + 1 >= line_end || !is_word(text_[value + 1]);
      const char first = name == "if" && value < line_end && one_character ? text_[value] : ' ';
      open_.push_back({first, npos, 0});
      if (first == '0') die(line_end, brackets);
    } else if (!open_.empty() && (name == "else" || name == "elif")) {
      close(at, brackets);
      if (open_.back().condition == '1') die(line_end, brackets);
    } else if (!open_.empty() && name == "endif") {
      close(at, brackets);
      open_.pop_back();
    }
    return line_end;
  }

 private:
  static constexpr std::size_t npos = std::string::npos;
  struct Branch {
    char condition;         ///< '0', '1', or what no file tells
    std::size_t dead_from;  ///< npos: alive
    std::size_t brackets;   ///< how many are open before the dead part
  };
  void die(std::size_t from, const std::string& brackets) {
    if (dead_) return;  // inside one that goes as a whole
    dead_ = true;
    open_.back().dead_from = from;
    open_.back().brackets = brackets.size();
  }
  void close(std::size_t at, std::string& brackets) {
    Branch& branch = open_.back();
    if (branch.dead_from == npos) return;
    blank(text_, branch.dead_from, at);
    branch.dead_from = npos;
    dead_ = false;
    if (brackets.size() > branch.brackets) brackets.resize(branch.brackets);
  }

  bool dead_ = false;
  std::string& text_;
  std::vector<Branch> open_;
};

bool begins_line(const std::string& text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

/// The word from `at` to `end`, blanked or replaced where the grammar needs it. Where to go on.
std::size_t treat_word(std::string& text, std::size_t at, std::size_t end) {
  const std::string_view word(text.data() + at, end - at);
  if (is_macro_with_list(word)) {
    const auto close = end < text.size() && text[end] == '(' ? matching(text, end) : std::string::npos;
    if (close != std::string::npos) end = close;
    blank(text, at, end);
  } else if (word == "CUTE_ALIGNAS" || word == "__align__") {
    text.replace(at, end - at, std::string(end - at - 7, ' ') + "alignas");
  } else if (word == "decltype") {
    plain_value(text, at, end);
  } else if (word == "enum") {
    plain_enumeration(text, end);
  } else if (is_attribute_macro(word) || (word == "typename" && stands_in_expression(text, at, end))) {
    blank(text, at, end);
  }
  return end;
}

}  // namespace

std::string blank_macros(std::string text) {
  std::string brackets;
  DeadBranches dead(text);
  for (std::size_t at = 0; at < text.size();) {
    if (const auto end = skip_inert(text, at); end != at) {
      at = end;
      continue;
    }
    if (text[at] == '#' && begins_line(text, at)) {
      at = dead.at_directive(at, brackets);
      continue;
    }
    if (!is_word(text[at])) {
      if (text[at] == '{') plain_default(text, at, brackets);
      follow_brackets(brackets, text[at]);
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    at = treat_word(text, at, end);
  }
  return text;
}

}  // namespace cutelab::source
