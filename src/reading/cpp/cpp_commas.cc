#include <algorithm>

#include "reading/cpp/cpp_expand.h"
#include "reading/cpp/cpp_macros.h"

/// `(a = 1, b)` as the grammar can have it: `((a = 1), b)`.
namespace cutelab::reading {
using source::Node;
using NodeKind = source::Kind;
namespace {
bool holds_error(Node n) {
  for (std::uint32_t i = n.index(); i < n.end_index(); ++i)
    if (n.tree()->at(i).is(NodeKind::error)) return true;
  return false;
}

/// Where the parts between the commas of an enclosed expression begin and end; empty: it has one.
std::vector<std::pair<std::size_t, std::size_t>> comma_parts(std::string_view text, std::size_t open,
                                                             std::size_t close) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t at = open + 1; at < close;) {
    if (const auto end = cpp_end_of_inert(text, at); end != at) {
      at = end;
      continue;
    }
    const char c = text[at];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == ';' || c == '.') return {};  // a fold, or no expression
    if (c == ',' && depth == 0) {
      out.emplace_back(begin, at);
      begin = at + 1;
    }
    ++at;
  }
  if (out.empty()) return {};
  out.emplace_back(begin, close);
  return out;
}
}  // namespace

bool cpp_enclose_commas(CppExpanded& expanded, const source::Tree& tree) {
  std::vector<std::pair<std::size_t, char>> put;
  std::uint32_t behind = 0;
  for (const Node n : tree.all(NodeKind::parenthesized_expression)) {
    if (n.index() < behind || !holds_error(n)) continue;
    const auto parts = comma_parts(expanded.text, n.first_byte(), n.end_byte() - 1);
    if (parts.empty()) continue;
    behind = n.end_index();
    for (const auto& [from, to] : parts) put.emplace_back(from, '('), put.emplace_back(to, ')');
  }
  if (put.empty()) return false;
  std::string text;
  std::vector<CppExpanded::Segment> segments;
  auto segment = expanded.segments.begin();
  auto one = put.begin();
  for (std::size_t at = 0; at <= expanded.text.size(); ++at) {
    for (; segment != expanded.segments.end() && segment->begin == at; ++segment) {
      segments.push_back(*segment);
      segments.back().begin = text.size();
    }
    for (; one != put.end() && one->first == at; ++one) {
      CppExpanded::Segment here = expanded.origin(at);
      const bool whole = here.whole;
      here.whole = true, here.begin = text.size();
      segments.push_back(here);
      text += one->second;
      here.whole = whole, here.begin = text.size();
      segments.push_back(here);
    }
    if (at < expanded.text.size()) text += expanded.text[at];
  }
  expanded.text = std::move(text);
  expanded.segments = std::move(segments);
  return true;
}

}  // namespace cutelab::reading
