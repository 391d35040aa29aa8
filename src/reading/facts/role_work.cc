#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/role_names.h"

// What the warps of a branch do beside the others: whether they have a part of their own, or come back; and
// what decides it while tracing.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

std::string_view called_leaf(Node call) { return last_part(call.child(Field::function_field).text()); }

/// Prefetches descriptors, or initialises barriers.
bool prepares(std::string_view leaf) {
  return leaf.starts_with("prefetch_descriptor") || leaf.starts_with("prefetch_tensormap") ||
         leaf.starts_with("mbarrier_init") || leaf == "init";
}

/// What stands around such calls and does no work itself.
bool goes_with_preparation(std::string_view leaf) {
  return leaf == "const_expr" || leaf == "range" || leaf == "range_constexpr" || leaf == "elect_one" ||
         leaf == "elect_sync" || leaf == "subview" || leaf.find("fence") != std::string_view::npos;
}

/// sync_threads(), pipeline.sync(…): a barrier for which no thread count is given, so all of the CTA meet.
bool meets_all(const FactContext& context, Node statement) {
  const Node call = statement.is(NodeKind::call) ? statement : statement.first();
  if (!call.is(NodeKind::call)) return false;
  const CallSite* site = context.site_of(call);
  if (!site || context.keyword(call, "number_of_threads") || context.positional(call, 1)) return false;
  return site->leaf == "sync_threads" || site->path.ends_with("pipeline.sync") ||
         site->path.ends_with("arch.barrier");
}

/// A test of the warp or warpgroup around a node, within its function.
bool stands_in_role(const FactContext& context, Node n) {
  return std::any_of(context.roles.begin(), context.roles.end(),
                     [&](const RoleBlock& role) { return role.block.contains(n); });
}
}  // namespace

bool only_prepares(Node block) {
  bool any = false;
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const Node n = block.tree()->at(i);
    if (n.is(NodeKind::assignment) && n.child(Field::left_field).is(NodeKind::subscript)) return false;
    if (!n.is(NodeKind::call)) continue;
    if (prepares(called_leaf(n)))
      any = true;
    else if (!goes_with_preparation(called_leaf(n)))
      return false;
  }
  return any;
}

bool alone_and_rejoins(const FactContext& context, const RoleBlock& role) {
  if (role.otherwise || role.elected || !role.statement.is(NodeKind::if_statement) ||
      role.statement.child(Field::alternative_field))
    return false;
  const int function = context.module().function_at(role.statement);
  for (const RoleBlock& other : context.roles)
    if (&other != &role && !other.elected && context.module().function_at(other.statement) == function)
      return false;
  bool met = false;
  for (Node next = role.statement.next(); next && !met; next = next.next()) met = meets_all(context, next);
  if (!met) return false;
  return std::any_of(context.drafts.begin(), context.drafts.end(), [&](const Draft& d) {
    return d.fact.family == evidence::Family::E1 && d.fact.kind == "store" &&
           d.node.index() > role.statement.index() && context.module().function_at(d.node) == function &&
           !stands_in_role(context, d.node);
  });
}

bool constant_of_kernel(const FactContext& context, Node condition) {
  const int f = condition.is(NodeKind::identifier) ? context.module().function_at(condition) : -1;
  if (f < 0) return false;
  const source::PythonFunction& function = context.module().functions()[static_cast<std::size_t>(f)];
  if (!function.has_decorator("kernel")) return false;
  for (const source::Parameter& p : function.parameters)
    if (p.name == condition.text()) return p.annotation.text().find("Constexpr") != std::string_view::npos;
  return false;
}

bool is_constant(Node condition) {
  if (condition.is(NodeKind::parenthesized_expression)) return is_constant(condition.first());
  if (condition.is(NodeKind::call))
    return leaf_name(condition.child(Field::function_field).text().substr(0, 80)) == "const_expr";
  if (!condition.is(NodeKind::boolean_operator) && !condition.is(NodeKind::not_operator)) return false;
  for (const Node side : condition.children())
    if (!side.is(NodeKind::op) && side.field() != Field::operator_token && !is_constant(side)) return false;
  return true;
}

bool is_behind_taken(FactContext& context, Node clause) {
  const auto holds = [&](Node condition) {
    const Abstract value = context.evaluator.value_of(0, condition);
    return value.is_number() && value.number != 0;
  };
  bool taken = holds(clause.parent().child(Field::condition_field));
  for (Node n = clause.parent().child(Field::alternative_field); n && !(n == clause) && !taken; n = n.next())
    taken = n.is(NodeKind::elif_clause) && holds(n.child(Field::condition_field));
  return taken;
}

}  // namespace cutelab::reading
