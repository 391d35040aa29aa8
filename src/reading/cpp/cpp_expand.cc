#include "reading/cpp/cpp_expand.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "reading/cpp/cpp_macros.h"

/// The preprocessor over a source and its local headers. What only a build can tell is marked, not guessed.
namespace cutelab::reading {
namespace {
constexpr int deepest_include = 40;

/// One run over the source and what it includes.
class Expander {
 public:
  Expander(const std::vector<std::string_view>& texts, const CppMacroSettings& settings,
           const std::function<int(int, std::string_view)>& included)
      : texts_(texts), included_(included), state_of_(texts.size(), 0) {
    for (const auto& [name, value] : settings) {
      macros_.all[name].text = value;
      given_.insert(name);
    }
  }
  CppExpanded run() {
    file(0, 0);
    if (macros_.limit) out_.limit = macros_.limit;
    return std::move(out_);
  }

 private:
  /// One #if up to its #endif.
  struct Branches {
    bool live;    ///< what stands in it is handed on
    bool taken;   ///< one of its branches is, the others are not
    bool around;  ///< it stands in one that is handed on
    bool open = false;
  };

  bool live() const { return branches_.empty() || branches_.back().live; }
  bool is_open() const {
    return std::any_of(branches_.begin(), branches_.end(), [](const Branches& b) { return b.open; });
  }

  void file(int which, int depth) {
    char& state = state_of_[static_cast<std::size_t>(which)];
    const std::string_view text = texts_[static_cast<std::size_t>(which)];
    if (state != 0 || depth > deepest_include) {
      if (text.find("#pragma once") == std::string_view::npos && !is_guarded(text))
        macros_.limit = "a header that is included again";
      return;
    }
    state = 1;
    const std::size_t outside = branches_.size();
    bool begins = true;
    for (std::size_t at = 0; at < text.size() && !macros_.limit;) {
      const char c = text[at];
      if (begins && c == '#') {
        at = directive(which, at, depth);
        continue;
      }
      begins = c == '\n' || (begins && (c == ' ' || c == '\t' || cpp_is_comment(text, at)));
      if (const auto end = cpp_end_of_inert(text, at); end != at) {
        copy(which, at, end, false);
        at = end;
      } else if (live() && cpp_opens_word(c)) {
        at = word(which, at);
      } else {
        copy(which, at, at + 1, true);
        ++at;
      }
    }
    branches_.resize(std::min(outside, branches_.size()));
  }

  static bool is_guarded(std::string_view text) {
    const auto first = text.find('#');
    return first != std::string_view::npos && text.substr(first).starts_with("#ifndef");
  }

  std::size_t word(int which, std::size_t at) {
    const std::string_view text = texts_[static_cast<std::size_t>(which)];
    const std::size_t end = cpp_end_of_word(text, at);
    if (!macros_.all.count(text.substr(at, end - at))) {
      copy(which, at, end, false);
      return end;
    }
    std::string made;
    const std::size_t next = macros_.word(text, at, {}, 0, made);
    if (next == end && made == text.substr(at, end - at)) {
      copy(which, at, end, false);
      return end;
    }
    segment(which, at, true);
    for (std::size_t i = 0; i < made.size();) {
      const auto stop = cpp_end_of_inert(made, i);
      if (stop == i) follow(made[i]);
      out_.text.append(made, i, std::max(stop, i + 1) - i);
      i = std::max(stop, i + 1);
    }
    if (out_.text.size() > most_expanded_bytes) macros_.limit = "macros that make too much text";
    return next;
  }

  void copy(int which, std::size_t from, std::size_t to, bool counts) {
    if (!live()) return;
    const bool goes_on = !out_.segments.empty() && !out_.segments.back().whole &&
                         out_.segments.back().file == which &&
                         out_.text.size() - out_.segments.back().begin + out_.segments.back().from == from;
    if (!goes_on) segment(which, from, false);
    const std::string_view text = texts_[static_cast<std::size_t>(which)].substr(from, to - from);
    for (const char c : counts ? text : std::string_view()) follow(c);
    out_.text += text;
  }

  void segment(int which, std::size_t from, bool whole) {
    out_.segments.push_back({out_.text.size(), which, from, whole});
  }

  /// Which braces are open: of namespaces, or of anything else.
  void follow(char c) {
    if (c == '{') {
      const std::string_view head = std::string_view(out_.text).substr(statement_);
      of_namespace_.push_back(head.find("namespace") != std::string_view::npos ||
                              head.find("extern \"C\"") != std::string_view::npos);
    }
    if (c == '}' && !of_namespace_.empty()) of_namespace_.pop_back();
    if (c == '{' || c == '}' || c == ';') statement_ = out_.text.size();
  }
  bool at_namespace_scope() const {
    return std::all_of(of_namespace_.begin(), of_namespace_.end(), [](bool b) { return b; });
  }

  /// A directive at `at`, with the lines that a backslash adds; where the next line begins.
  std::size_t directive(int which, std::size_t at, int depth) {
    const std::string_view text = texts_[static_cast<std::size_t>(which)];
    std::size_t end = at;
    std::string line;
    for (;;) {
      const auto stop = std::min(text.find('\n', end), text.size());
      std::string_view part = text.substr(end, stop - end);
      if (part.ends_with("\r")) part.remove_suffix(1);
      const bool more = part.ends_with("\\") && stop < text.size();
      if (more) part.remove_suffix(1);
      line += part;
      line += more ? " " : "";
      end = stop;
      if (!more) break;
      end = stop + 1;
    }
    const std::string plain = without_comments(line);
    const std::size_t from = cpp_skip_spaces(plain, 1), to = cpp_end_of_word(plain, from);
    const std::string name = plain.substr(from, to - from);
    const std::string rest(trim(std::string_view(plain).substr(to)));
    if (!conditional(name, rest, text.substr(end)) && live()) other(which, name, rest, depth);
    return end;
  }

  static std::string without_comments(std::string_view line) {
    std::string out;
    for (std::size_t at = 0; at < line.size();) {
      const auto end = cpp_end_of_inert(line, at);
      if (end != at && cpp_is_comment(line, at))
        out += ' ';
      else
        out += line.substr(at, std::max(end, at + 1) - at);
      at = std::max(end, at + 1);
    }
    return out;
  }

  bool conditional(const std::string& name, const std::string& rest, std::string_view behind) {
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      branches_.push_back({false, false, live()});
      if (branches_.back().around) enter(told(name, rest, behind));
    } else if ((name == "else" || name == "elif") && !branches_.empty()) {
      Branches& b = branches_.back();
      if (b.open && b.live)
        put(name == "else" ? "\n#else\n" : "\n#elif " + std::string(cpp_open_place) + "\n");
      if (b.open) return true;
      b.live = false;
      if (b.around && !b.taken)
        enter(name == "else" ? std::optional<long long>(1) : told("if", rest, behind));
    } else if (name == "endif" && !branches_.empty()) {
      if (branches_.back().open && branches_.back().live) put("\n#endif\n");
      branches_.pop_back();
    } else {
      return false;
    }
    return true;
  }

  /// Text of no file's.
  void put(const std::string& text) {
    const auto last = out_.segments.empty() ? CppExpanded::Segment{0, 0, 0, true} : out_.segments.back();
    segment(last.file, last.from, true);
    out_.text += text;
  }

  void enter(std::optional<long long> told) {
    Branches& b = branches_.back();
    b.live = b.taken = told.value_or(0) != 0;
    if (told) return;
    b.open = b.taken = true;
    b.live = at_namespace_scope();
    put(b.live ? "\n#ifdef " + std::string(cpp_open_place) + "\n"
               : " " + std::string(cpp_open_place) + "(); ");
  }

  std::optional<long long> is_defined(const std::string& name) const {
    const auto found = macros_.all.find(name);
    if (found != macros_.all.end()) return found->second.open ? std::nullopt : std::optional<long long>(1);
    return macros_.undefined.count(name) || name == "__CUDA_ARCH__" ? std::optional<long long>(0)
                                                                    : std::nullopt;
  }

  std::optional<long long> told(const std::string& name, const std::string& rest, std::string_view behind) {
    if (name == "if") return cpp_condition(macros_.expanded(with_defined(rest), {}, 0));
    const std::string asked = rest.substr(0, cpp_end_of_word(rest, 0));
    const auto is = is_defined(asked);
    if (is) return (*is != 0) == (name == "ifdef");
    // `#ifndef TILE`, `#define TILE 64`: the default of what a build may give
    const std::string_view next = behind.substr(cpp_skip_spaces(behind, 0));
    const std::string_view word =
        next.starts_with("#define") ? trim(next.substr(7, 200)) : std::string_view();
    if (name == "ifndef" && !is_open() && !macros_.all.count(asked) &&
        word.substr(0, cpp_end_of_word(word, 0)) == asked)
      return 1;
    return std::nullopt;
  }

  /// A condition with its defined(NAME) answered.
  std::string with_defined(const std::string& condition) const {
    std::string out;
    for (std::size_t at = 0; at < condition.size();) {
      if (!cpp_opens_word(condition[at])) {
        const auto end = std::max(cpp_end_of_inert(condition, at), at + 1);
        out += condition.substr(at, end - at);
        at = end;
        continue;
      }
      std::size_t end = cpp_end_of_word(condition, at);
      const std::string word = condition.substr(at, end - at);
      if (word == "defined") {
        std::size_t from = cpp_skip_spaces(condition, end);
        const bool enclosed = from < condition.size() && condition[from] == '(';
        if (enclosed) from = cpp_skip_spaces(condition, from + 1);
        end = cpp_end_of_word(condition, from);
        const auto is = is_defined(condition.substr(from, end - from));
        out += !is ? std::string(cpp_open_place) : *is ? "1" : "0";
        if (enclosed) end = std::min(condition.find(')', end), condition.size() - 1) + 1;
      } else {
        out += word;
      }
      at = end;
    }
    return out;
  }

  void other(int which, const std::string& name, const std::string& rest, int depth) {
    if (name == "include") {
      const int header = rest.empty() || rest[0] != '"' ? -1 : included_(which, rest);
      if (header >= 0) file(header, depth + 1);
    } else if (name == "undef") {
      const std::string gone = rest.substr(0, cpp_end_of_word(rest, 0));
      if (given_.count(gone)) return;
      if (is_open()) {
        macros_.all[gone].open = true;
      } else {
        macros_.all.erase(gone);
        macros_.undefined.insert(gone);
      }
    } else if (name == "define") {
      define(rest);
    }
  }

  void define(const std::string& rest) {
    const std::size_t end = cpp_end_of_word(rest, 0);
    const std::string name = rest.substr(0, end);
    if (given_.count(name)) return;
    CppMacro macro;
    macro.open = is_open();
    std::size_t from = end;
    if (end < rest.size() && rest[end] == '(') {
      macro.called = true;
      const auto close = std::min(rest.find(')', end), rest.size() - 1);
      for (const auto part : split(std::string_view(rest).substr(end + 1, close - end - 1), ',')) {
        const std::string_view one = trim(part);
        if (one == "...")
          macro.open_end = true;
        else if (one.ends_with("..."))
          macro.open = true;
        else if (!one.empty())
          macro.parameters.emplace_back(one);
      }
      from = close + 1;
    }
    macro.text = trim(std::string_view(rest).substr(from));
    macros_.all[name] = std::move(macro);
  }

  const std::vector<std::string_view>& texts_;
  const std::function<int(int, std::string_view)>& included_;
  std::vector<char> state_of_;
  CppMacros macros_;
  std::set<std::string, std::less<>> given_;
  std::vector<Branches> branches_;
  std::vector<bool> of_namespace_;
  std::size_t statement_ = 0;  ///< where the text behind the last ; { } begins
  CppExpanded out_;
};
}  // namespace

CppExpanded::Segment CppExpanded::origin(std::size_t at) const {
  auto one = std::upper_bound(segments.begin(), segments.end(), at,
                              [](std::size_t byte, const Segment& s) { return byte < s.begin; });
  if (one == segments.begin()) return {0, 0, 0, true};
  Segment out = *--one;
  if (!out.whole) out.from += at - out.begin;
  return out;
}

CppExpanded cpp_expand(const std::vector<std::string_view>& texts, const CppMacroSettings& settings,
                       const std::function<int(int, std::string_view)>& included) {
  return Expander(texts, settings, included).run();
}

}  // namespace cutelab::reading
