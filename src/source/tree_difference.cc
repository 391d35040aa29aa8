#include "source/tree_difference.h"

#include <fmt/format.h>

#include <algorithm>

namespace cutelab::source {
namespace {
std::string described(Node n) {
  if (!n) return "nothing";
  const Span span = n.span();
  return fmt::format("{} [{}, {}) field {} below node {}", n.kind_name(), span.begin, span.end,
                     static_cast<int>(n.field()), n.parent() ? static_cast<int>(n.parent().index()) : -1);
}

bool same(Node a, Node b) {
  return a.kind() == b.kind() && a.kind_name() == b.kind_name() && a.field() == b.field() &&
         a.span() == b.span() && a.end_index() == b.end_index() && a.parent().index() == b.parent().index();
}
}  // namespace

std::string tree_difference(const Tree& a, const Tree& b) {
  const std::uint32_t both = std::min(a.size(), b.size());
  for (std::uint32_t i = 0; i < both; ++i)
    if (!same(a.at(i), b.at(i)))
      return fmt::format("node {}, line {}: {} against {}", i, b.at(i).line(), described(a.at(i)),
                         described(b.at(i)));
  if (a.size() != b.size()) return fmt::format("{} nodes against {}", a.size(), b.size());
  if (a.deepest() != b.deepest()) return fmt::format("depth {} against {}", a.deepest(), b.deepest());
  return {};
}

}  // namespace cutelab::source
