#include "base/text.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool is_coordinate(Node n) {
  if (!n.is(NodeKind::identifier)) return false;
  const std::string name = to_lower(n.text());
  for (const char* word : {"idx", "lane", "tid", "row", "col", "coord", "offset"})
    if (name.find(word) != std::string::npos) return name.find("warp") == std::string::npos;
  return false;
}

bool moves_by_tma(const Draft& d) {
  return d.construct == "tma-load" || d.construct == "tma-store" || d.construct == "tma_load" ||
         d.construct == "tma_store" || d.construct == "tma_load_multicast";
}

/// A bound that the data has nothing to do with: a number, a constant of the module (WARP_SIZE), a name for
/// one, a stage count.
bool fixed_bound(const FactContext& context, Node n) {
  if (n.is(NodeKind::integer)) return true;
  const std::string name(n.text());
  if (to_lower(name).find("stage") != std::string::npos) return true;
  if (!n.is(NodeKind::identifier)) return false;
  return name.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos ||
         bound_before(context, n).is(NodeKind::integer);
}

/// `if idx < num_total: … buffer[idx]`: a coordinate held to a count, and what it guards reads or writes by
/// it. A test against a literal elects a thread.
bool guards_access(const FactContext& context, Node statement) {
  const Node condition = statement.child(Field::condition_field);
  if (!condition.is(NodeKind::comparison_operator)) return false;
  Node left, right;
  for (const Node c : condition.children()) {
    if (c.is(NodeKind::op) || c.field() == Field::operators_field) {
      if (c.text() != "<" && c.text() != ">=" && c.text() != ">" && c.text() != "<=") return false;
      continue;
    }
    (left ? right : left) = c;
  }
  if (!left || !right) return false;
  const Node coordinate = is_coordinate(left) ? left : right;
  const Node bound = is_coordinate(left) ? right : left;
  if (!is_coordinate(coordinate) || fixed_bound(context, bound) || is_coordinate(bound)) return false;
  const Node block = statement.child(Field::consequence_field);
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const Node n = block.tree()->at(i);
    const Node used = n.is(NodeKind::subscript) ? n
                      : n.is(NodeKind::call)    ? n.child(Field::arguments_field)
                                                : Node();
    for (std::uint32_t j = used ? used.index() : 0; used && j < used.end_index(); ++j)
      if (used.tree()->at(j).is(NodeKind::identifier) && used.tree()->at(j).text() == coordinate.text())
        return runs_on_device(context, statement);
  }
  return false;
}

/// Why nothing on the device guards what lies outside: TMA clips what it moves itself, and no other store.
std::string unguarded(PatternBuilder& p) {
  const bool loads =
      p.any_active([](const Draft& d) { return contains(d.construct, "load") && moves_by_tma(d); });
  const bool stores =
      p.any_active([](const Draft& d) { return contains(d.construct, "store") && moves_by_tma(d); });
  const bool direct = p.any_active(
      [](const Draft& d) { return d.fact.family == evidence::Family::E1 && d.construct == "direct-store"; });
  if (!loads && !stores) return "no predicate on the device";
  if (!direct) return "no predicate on the device; TMA clips what lies outside";
  if (stores) return "no predicate on the device; TMA clips what it moves";
  return "no predicate on the device; TMA clips loads, the direct store has no guard";
}
}  // namespace

evidence::PatternFinding boundary_handling(FactContext& context) {
  PatternBuilder p(context, "P9", "boundary handling");
  if (p.any(moves_by_tma)) p.flag("implicit_tma_oob", true);
  const auto explicit_one = [](const Draft& d) {
    return d.fact.family == evidence::Family::B1 && !d.fact.optional;
  };
  // What uses a predicate says more than what computes it.
  bool found = p.cite([&](const Draft& d) { return explicit_one(d) && d.fact.kind != "predicate"; });
  found = p.cite([&](const Draft& d) { return explicit_one(d) && d.fact.kind == "predicate"; }, 1) || found;
  for (const Node n : context.module().tree().all(NodeKind::if_statement)) {
    if (!guards_access(context, n)) continue;
    p.cite_node(n, 1);
    found = true;
  }
  if (!found) return p.absent(unguarded(p));
  return p.present("loads, stores or scores are predicated or masked");
}

}  // namespace cutelab::reading
