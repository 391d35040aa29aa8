#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reading/facts/context.h"

// Groups of cp.async: how many a wait leaves in flight, and how many there are when it is reached.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool is_loop_statement(Node n) { return n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement); }

/// How often a `for` over range(n) or range(a, b) runs; none when that is not told.
std::optional<std::int64_t> trips_of(FactContext& context, Node loop) {
  if (!loop.is(NodeKind::for_statement)) return std::nullopt;
  const Node iterable = loop.child(Field::right_field);
  if (!iterable.is(NodeKind::call) ||
      !leaf_name(iterable.child(Field::function_field).text()).starts_with("range"))
    return std::nullopt;
  std::vector<std::int64_t> bounds;
  for (const Node a : iterable.child(Field::arguments_field).children()) {
    if (a.is(NodeKind::keyword_argument)) continue;
    const auto n = context.value(a).integer();
    if (!n) return std::nullopt;
    bounds.push_back(*n);
  }
  if (bounds.empty() || bounds.size() > 2) return std::nullopt;
  return std::max<std::int64_t>(0, bounds.back() - (bounds.size() == 2 ? bounds.front() : 0));
}

/// The most that a commit adds to what is in flight at a wait of the same function; none where both stand in
/// one loop, or a loop has no known end.
std::optional<std::int64_t> committed_by(FactContext& context, Node commit, Node wait) {
  std::int64_t times = commit.span().begin < wait.span().begin ? 1 : 0;
  for (Node n = commit.parent(); n && !n.is(NodeKind::function_definition); n = n.parent()) {
    if (!is_loop_statement(n)) continue;
    if (n.contains(wait)) return std::nullopt;
    if (times == 0) continue;
    const auto trips = trips_of(context, n);
    if (!trips) return std::nullopt;
    times *= *trips;
  }
  return times;
}

/// Groups committed ahead of a wait in its kernel, at most; none when helpers or loops leave that open.
std::optional<std::int64_t> committed_ahead(FactContext& context, Node wait) {
  const source::PythonModule& module = context.module();
  const int function = module.function_at(wait);
  if (function < 0 || !module.functions()[static_cast<std::size_t>(function)].has_decorator("kernel"))
    return std::nullopt;
  std::int64_t sum = 0;
  bool any = false;
  for (const Draft& draft : context.drafts) {
    if (draft.fact.kind != "copy-group" || !draft.node.is(NodeKind::call) ||
        draft.construct.find("commit") == std::string::npos ||
        draft.construct.find("bulk") != std::string::npos)
      continue;
    const int own = module.function_at(draft.node);
    if (own != function) {
      if (own >= 0 && module.functions()[static_cast<std::size_t>(own)].has_decorator("kernel")) continue;
      return std::nullopt;  // a helper, which may be called ahead of the wait
    }
    const auto n = committed_by(context, draft.node, wait);
    if (!n) return std::nullopt;
    any = any || *n > 0;
    sum += *n;
  }
  return any ? std::optional(sum) : std::nullopt;
}
}  // namespace

void extract_copy_groups(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.construct.find("wait_group") == std::string::npos || !draft.node.is(NodeKind::call)) continue;
    if (const Node count = context.positional(draft.node, 0))
      draft.fact.values["pending"] = context.value(count);
    if (draft.construct.find("bulk") != std::string::npos) continue;
    const auto committed = committed_ahead(context, draft.node);
    if (!committed) continue;
    evidence::Value value = evidence::literal(*committed);
    value.known_by = evidence::KnownBy::computed;
    value.formula = "groups committed ahead of it";
    draft.fact.values["committed"] = value;
  }
}

}  // namespace cutelab::reading
