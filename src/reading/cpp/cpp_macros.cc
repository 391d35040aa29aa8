#include "reading/cpp/cpp_macros.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "reading/cpp/cpp_expand.h"

/// What macros put in for their names: arguments, # and ##, macros in macros.
namespace cutelab::reading {
namespace {
constexpr int most_expansions = 100'000;
constexpr int deepest_expansion = 60;

bool is_macro_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
}  // namespace

bool cpp_opens_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }

std::size_t cpp_end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_macro_word(text[at])) ++at;
  return at;
}

/// Where a comment, a literal or a number that begins at `at` ends; `at` where none does.
std::size_t cpp_end_of_inert(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) {
    const auto end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (rest.starts_with("R\"") && rest.find('(') != std::string_view::npos) {
    const std::string close = ")" + std::string(rest.substr(2, rest.find('(') - 2)) + "\"";
    const auto end = text.find(close, at);
    return end == std::string_view::npos ? text.size() : end + close.size();
  }
  if (std::isdigit(static_cast<unsigned char>(rest[0]))) {
    while (at < text.size() && (is_macro_word(text[at]) || text[at] == '.' ||
                                (text[at] == '\'' && at + 1 < text.size() && is_macro_word(text[at + 1]))))
      ++at;
    return at;
  }
  if (rest[0] != '"' && rest[0] != '\'') return at;
  for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == rest[0])
      return i + 1;
  }
  return at + 1;
}

bool cpp_is_comment(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with("//") || text.substr(at).starts_with("/*");
}

std::size_t cpp_skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
    else if (cpp_is_comment(text, at))
      at = cpp_end_of_inert(text, at);
    else
      break;
  }
  return at;
}

namespace {
/// The arguments between the parentheses at `open`; where they end, npos: nowhere.
std::size_t arguments_at(std::string_view text, std::size_t open, std::vector<std::string_view>& out) {
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t at = open; at < text.size();) {
    if (const auto end = cpp_end_of_inert(text, at); end != at) {
      at = end;
      continue;
    }
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{') depth += c == '(' ? 1 : 0;
    if (c == ')' && --depth == 0) {
      out.push_back(trim(text.substr(begin, at - begin)));
      return at + 1;
    }
    if (c == ',' && depth == 1) {
      out.push_back(trim(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    ++at;
  }
  return std::string_view::npos;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

/// What a call gives a parameter, as it is written; false: it is none.
bool given_for(const CppMacro& macro, const std::vector<std::string_view>& given, std::string_view name,
               std::string& out) {
  for (std::size_t i = 0; i < macro.parameters.size(); ++i)
    if (macro.parameters[i] == name) {
      if (i < given.size()) out = given[i];
      return true;
    }
  if (!macro.open_end || name != "__VA_ARGS__") return false;
  for (std::size_t i = macro.parameters.size(); i < given.size(); ++i)
    out += (i > macro.parameters.size() ? ", " : "") + std::string(given[i]);
  return true;
}

}  // namespace

std::string CppMacros::expanded(std::string_view text, const Hidden& hidden, int depth) {
  std::string out;
  for (std::size_t at = 0; at < text.size() && !limit;) {
    if (const auto end = cpp_end_of_inert(text, at); end != at) {
      if (cpp_is_comment(text, at))
        out += ' ';
      else
        out += text.substr(at, end - at);
      at = end;
    } else if (!cpp_opens_word(text[at])) {
      out += text[at++];
    } else {
      at = word(text, at, hidden, depth, out);
    }
    if (out.size() > most_expanded_bytes) limit = "macros that make too much text";
  }
  return out;
}

/// Puts in what the word at `at` stands for; where to go on, `at`'s word's end where it is no macro.
std::size_t CppMacros::word(std::string_view text, std::size_t at, const Hidden& hidden, int depth,
                            std::string& out) {
  const std::size_t end = cpp_end_of_word(text, at);
  const std::string name(text.substr(at, end - at));
  const auto found = all.find(name);
  if (found == all.end() || hidden.count(name)) {
    out += name;
    return end;
  }
  if (found->second.open) {
    out += cpp_open_place;
    return end;
  }
  if (++count_ > most_expansions || depth > deepest_expansion)
    limit = "macros that are put into macros too often";
  if (limit) return end;
  Hidden inner = hidden;
  inner.insert(name);
  if (!found->second.called) return plain(text, end, found->second, inner, depth, out);
  const std::size_t open = cpp_skip_spaces(text, end);
  std::vector<std::string_view> given;
  std::size_t close = std::string_view::npos;
  if (open < text.size() && text[open] == '(') close = arguments_at(text, open, given);
  if (close == std::string_view::npos) {
    out += name;
    return end;
  }
  out += expanded(put_in(found->second, given, hidden, depth), inner, depth + 1);
  return close;
}

/// A macro without arguments; what it stands for may be one with arguments, which follow it.
std::size_t CppMacros::plain(std::string_view text, std::size_t end, const CppMacro& macro,
                             const Hidden& hidden, int depth, std::string& out) {
  std::string made = expanded(put_in(macro, {}, hidden, depth), hidden, depth + 1);
  const std::string_view last = trim(made);
  const auto next = all.find(last);
  const std::size_t open = cpp_skip_spaces(text, end);
  if (next == all.end() || !next->second.called || open >= text.size() || text[open] != '(') {
    out += made;
    return end;
  }
  std::vector<std::string_view> given;
  const auto close = arguments_at(text, open, given);
  if (close == std::string_view::npos) return end;
  out += expanded(std::string(last) + std::string(text.substr(open, close - open)), hidden, depth + 1);
  return close;
}

/// A macro's text with its arguments put in; # and ## done.
std::string CppMacros::put_in(const CppMacro& macro, const std::vector<std::string_view>& given,
                              const Hidden& hidden, int depth) {
  std::string out;
  const std::string_view text = macro.text;
  bool pasted = false;
  for (std::size_t at = 0; at < text.size() && !limit;) {
    const auto end = cpp_end_of_inert(text, at);
    if (text.substr(at).starts_with("##")) {
      out.resize(out.find_last_not_of(" \t") == std::string::npos ? 0 : out.find_last_not_of(" \t") + 1);
      at = cpp_skip_spaces(text, at + 2);
      pasted = true;
      continue;
    }
    if (text[at] == '#' && macro.called) {
      const std::size_t from = cpp_skip_spaces(text, at + 1), to = cpp_end_of_word(text, from);
      std::string raw;
      if (given_for(macro, given, text.substr(from, to - from), raw)) out += quoted(raw);
      at = std::max(to, at + 1);
    } else if (end != at || !cpp_opens_word(text[at])) {
      out += text.substr(at, std::max(end, at + 1) - at);
      at = std::max(end, at + 1);
    } else {
      const std::size_t to = cpp_end_of_word(text, at);
      const std::string_view name = text.substr(at, to - at);
      std::string raw;
      if (name == "__VA_OPT__") limit = "a macro with __VA_OPT__";
      const bool pastes = pasted || text.substr(cpp_skip_spaces(text, to)).starts_with("##");
      if (!given_for(macro, given, name, raw))
        out += name;
      else
        out += pastes ? raw : expanded(raw, hidden, depth + 1);
      at = to;
    }
    pasted = false;
  }
  return out;
}

}  // namespace cutelab::reading
