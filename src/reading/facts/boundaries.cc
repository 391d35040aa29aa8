#include <algorithm>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/bounds.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// `for k in range_constexpr(size(fragment)): … if k < size(fragment) - 1`: a number of the unrolled loop by
/// itself, held against a bound, says which step this is. No coordinate of a tensor is in it.
bool tests_unrolled_step(Node condition) {
  if (!condition.is(NodeKind::comparison_operator)) return false;
  for (const Node operand : condition.children()) {
    if (!operand.is(NodeKind::identifier)) continue;
    for (Node n = condition.parent(); n && !n.is(NodeKind::function_definition); n = n.parent())
      if (n.is(NodeKind::for_statement) && n.child(Field::left_field).text() == operand.text())
        return n.child(Field::right_field).text().find("range_constexpr") != std::string_view::npos;
  }
  return false;
}

/// `if row < problem_m:` in device code: a comparison of a coordinate with an extent.
bool guards_extent(Node condition) {
  if (!condition.is(NodeKind::comparison_operator) && !condition.is(NodeKind::boolean_operator)) return false;
  for (const Node operand : condition.children())
    if (operand.is(NodeKind::integer)) return false;  // a test of a count, not of a coordinate
  if (tests_unrolled_step(condition)) return false;
  const std::string_view text = condition.text();
  if (text.find('<') == std::string_view::npos && text.find('>') == std::string_view::npos) return false;
  const std::string low = to_lower(text);
  if (low.find("const_expr") != std::string::npos || low.find("isinstance") != std::string::npos ||
      low.find("cluster") != std::string::npos || low.find("warp") != std::string::npos ||
      low.find("tile_cnt") != std::string::npos || low.find("stage") != std::string::npos)
    return false;
  static constexpr const char* extents[] = {"shape",   "seqlen",   "limit",    "extent",    "size(",
                                            "problem", "_len",     "num_rows", "length",    "actual",
                                            "bound",   "num_cols", "num_elem", "num_total", "numel"};
  return std::any_of(std::begin(extents), std::end(extents),
                     [&](const char* w) { return low.find(w) != std::string::npos; });
}

bool mentions_infinity(std::string_view text) {
  return text.find(".inf") != std::string_view::npos || text.find("\"inf\"") != std::string_view::npos ||
         text.find("'inf'") != std::string_view::npos || text.find("\"-inf\"") != std::string_view::npos;
}

Node inside_parentheses(Node n) {
  while (n.is(NodeKind::parenthesized_expression)) n = n.first();
  return n;
}

bool compares_order(Node n) {
  n = inside_parentheses(n);
  return n.is(NodeKind::comparison_operator) && n.text().find_first_of("<>") != std::string_view::npos;
}

/// What a kernel keeps comparisons in: tensors, `pred[i] = offset < n`, and names, `inside = row < rows`.
struct Predicates {
  std::set<std::string> tensors;
  std::set<std::pair<int, std::string>> names;  ///< of a function
};

Draft& add_predicate(FactContext& context, std::string name, Node statement) {
  const Node compared = inside_parentheses(statement.child(Field::right_field));
  Draft& draft = context.add(Family::B1, "predicate", std::move(name),
                             "predicate " + std::string(compared.text().substr(0, 60)), statement);
  draft.construct = "predicate";
  return draft;
}

/// By what they hold, not by what they are called.
Predicates add_predicates(FactContext& context) {
  Predicates out;
  for (const Node n : context.module().tree().all(NodeKind::assignment)) {
    const Node left = n.child(Field::left_field), right = n.child(Field::right_field);
    const bool element = left.is(NodeKind::subscript);
    const Node name = element ? left.child(Field::value_field) : left;
    if (!name.is(NodeKind::identifier) || !right) continue;
    if (element ? !compares_order(right) : !compares_order(right) || !bounds_coordinate(context, right))
      continue;
    if (!runs_on_device(context, n)) continue;
    if (element)
      out.tensors.insert(std::string(name.text()));
    else
      out.names.emplace(context.module().function_at(n), std::string(name.text()));
    add_predicate(context, std::string(name.text()), n);
  }
  return out;
}

/// Whether a condition, or a part that `and`, `or` and `not` make it of, is one of the predicates.
bool tests_predicate(const FactContext& context, const Predicates& known, Node condition) {
  if (condition.is(NodeKind::subscript))
    return known.tensors.count(std::string(condition.child(Field::value_field).text())) > 0;
  if (condition.is(NodeKind::identifier))
    return known.names.count({context.module().function_at(condition), std::string(condition.text())}) > 0;
  if (!condition.is(NodeKind::boolean_operator) && !condition.is(NodeKind::not_operator) &&
      !condition.is(NodeKind::parenthesized_expression))
    return false;
  for (const Node side : condition.children())
    if (tests_predicate(context, known, side)) return true;
  return false;
}

void add_mask(FactContext& context, Node target, Node at) {
  Draft& draft = context.add(Family::B1, "mask", std::string(target.text().substr(0, 80)),
                             "masked to minus infinity", at);
  draft.construct = "mask-value";
}

/// x[i] = -inf, where x held a score before: one outside is masked.
void add_masks(FactContext& context, Node assignment) {
  const Node left = assignment.child(Field::left_field), right = assignment.child(Field::right_field);
  if (!left.is(NodeKind::subscript) || !mentions_infinity(right.text()) ||
      context.module().function_at(assignment) < 0 || left.text().find("max") != std::string_view::npos)
    return;
  if (inside_parentheses(right).is(NodeKind::conditional_expression) ||
      masks_values(context, assignment, left))
    add_mask(context, left, assignment);
}

/// x[None, i].fill(-inf) in place of what would lie outside.
void add_filled_masks(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "fill" || !mentions_infinity(site.call.child(Field::arguments_field).text()) ||
        !runs_on_device(context, site.call))
      continue;
    const Node filled = site.call.child(Field::function_field).child(Field::object_field);
    bool tested = false;
    for (Node n = site.call; n && !n.is(NodeKind::function_definition) && !tested; n = n.parent())
      tested = n.is(NodeKind::if_statement);
    if (tested && filled.is(NodeKind::subscript) && masks_values(context, site.call, filled))
      add_mask(context, filled, site.call);
  }
}

void add_guards(FactContext& context) {
  const Predicates predicates = add_predicates(context);
  for (const Node n :
       context.module().tree().all({NodeKind::if_statement, NodeKind::elif_clause, NodeKind::assignment})) {
    if (n.is(NodeKind::assignment)) {
      add_masks(context, n);
      continue;
    }
    const Node condition = n.child(Field::condition_field);
    const bool guards = guards_extent(condition) || tests_predicate(context, predicates, condition) ||
                        bounds_coordinate(context, condition);
    if (!guards || !runs_on_device(context, n)) continue;
    Draft& draft =
        context.add(Family::B1, "guard", std::string(condition.text().substr(0, 80)), "bounds guard", n);
    draft.construct = "guard";
  }
  add_filled_masks(context);
}

/// The tensors that a predicated copy moves between: a predicate keeps those inside and no others.
evidence::Value tensors_of(FactContext& context, const CallSite& site) {
  evidence::Value::List tensors;
  for (const Node a : site.call.child(Field::arguments_field).children()) {
    const bool atom = site.leaf == "copy" && a == context.positional(site.call, 0);
    const Node origin = atom || a.is(NodeKind::keyword_argument) ? Node() : tensor_origin(context, a);
    if (!origin.is(NodeKind::identifier) && !origin.is(NodeKind::attribute)) continue;
    tensors.push_back(evidence::literal(leaf_name(origin.text()).substr(0, 60)));
    // A tile that the host cut: the tensor it is cut from.
    const Abstract given = context.evaluator.value_of(0, origin);
    const bool here =
        given.known() && given.made_at.is(NodeKind::call) && given.made_at.tree() == origin.tree();
    const Node cut = here ? tensor_origin(context, given.made_at) : Node();
    if (cut.is(NodeKind::identifier) && cut.text() != origin.text())
      tensors.push_back(evidence::literal(std::string(cut.text().substr(0, 60))));
  }
  evidence::Value out;
  out.data = std::move(tensors);
  return out;
}
}  // namespace

void extract_boundaries(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if ((site.leaf == "masked_load" || site.leaf == "masked_store") && !site.receiver.empty() &&
        runs_on_device(context, site.call)) {
      Draft& draft = context.add(
          Family::B1, "predicated-copy", site.receiver.substr(0, 60),
          (site.leaf == "masked_load" ? "load" : "store") + std::string(" under a mask"), site.call);
      draft.construct = "predicated-copy";
      continue;
    }
    const Node predicate = context.keyword(site.call, "pred");
    if (!predicate || predicate.is(NodeKind::none)) {
      const std::string low = to_lower(site.leaf);
      if (low.find("mask") == std::string::npos || low.find("mcast") != std::string::npos ||
          low.find("multicast") != std::string::npos || low.find("image_mask") != std::string::npos ||
          low.starts_with("get_") || low.find("trip_count") != std::string::npos ||
          low.find("count") != std::string::npos || site.leaf == "apply_mask" || site.function < 0 ||
          !runs_on_device(context, site.call))
        continue;
      int m = 0, f = -1;
      if (!context.evaluator.callee_function(0, site.call, &m, &f)) continue;
      Draft& draft = context.add(Family::B1, "mask", site.leaf, "masking helper " + site.leaf, site.call);
      draft.construct = "mask-helper";
      continue;
    }
    if (predicate.is(NodeKind::false_literal)) continue;
    const bool asked = predicate.is(NodeKind::true_literal);  // the helper makes the predicate itself
    const std::string name = asked ? site.leaf : std::string(predicate.text().substr(0, 60));
    Draft& draft = context.add(
        Family::B1, "predicated-copy", name,
        asked ? name + " is asked to predicate what it copies" : "copy predicated by " + name, site.call);
    draft.construct = "predicated-copy";
    if (site.path.find("cute") != std::string::npos) draft.fact.values["tensors"] = tensors_of(context, site);
  }
  add_guards(context);
}

}  // namespace cutelab::reading
