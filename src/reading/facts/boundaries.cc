#include <algorithm>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

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

bool compares_order(Node n) {
  return n.is(NodeKind::comparison_operator) && n.text().find_first_of("<>") != std::string_view::npos;
}

/// Names of tensors that a kernel fills with comparisons, `pred[i] = offset < n`: predicates by what they
/// hold.
std::set<std::string> add_predicate_tensors(FactContext& context) {
  std::set<std::string> names;
  for (const Node n : context.module().tree().all(NodeKind::assignment)) {
    if (!n.child(Field::left_field).is(NodeKind::subscript)) continue;
    const Node name = n.child(Field::left_field).child(Field::value_field);
    if (!name.is(NodeKind::identifier) || !compares_order(n.child(Field::right_field))) continue;
    if (!runs_on_device(context, n)) continue;
    names.insert(std::string(name.text()));
    Draft& draft =
        context.add(Family::B1, "predicate", std::string(name.text()),
                    "predicate " + std::string(n.child(Field::right_field).text().substr(0, 60)), n);
    draft.construct = "predicate";
  }
  return names;
}

void add_guards(FactContext& context) {
  const std::set<std::string> predicates = add_predicate_tensors(context);
  const auto tests_predicate = [&](Node condition) {
    return condition.is(NodeKind::subscript) &&
           predicates.count(std::string(condition.child(Field::value_field).text())) > 0;
  };
  for (const Node n : context.module().tree().all({NodeKind::if_statement, NodeKind::assignment})) {
    if (n.is(NodeKind::if_statement) &&
        (guards_extent(n.child(Field::condition_field)) ||
         tests_predicate(n.child(Field::condition_field))) &&
        runs_on_device(context, n)) {
      Draft& draft =
          context.add(Family::B1, "guard", std::string(n.child(Field::condition_field).text().substr(0, 80)),
                      "bounds guard", n);
      draft.construct = "guard";
    }
    if (n.is(NodeKind::assignment) && n.child(Field::left_field).is(NodeKind::subscript) &&
        mentions_infinity(n.child(Field::right_field).text()) && context.module().function_at(n) >= 0 &&
        n.child(Field::left_field).text().find("max") == std::string_view::npos) {
      Draft& draft =
          context.add(Family::B1, "mask", std::string(n.child(Field::left_field).text().substr(0, 80)),
                      "masked to minus infinity", n);
      draft.construct = "mask-value";
    }
  }
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
    Draft& draft =
        context.add(Family::B1, "predicated-copy", std::string(predicate.text().substr(0, 60)),
                    "copy predicated by " + std::string(predicate.text().substr(0, 60)), site.call);
    draft.construct = "predicated-copy";
    if (site.path.find("cute") != std::string::npos) draft.fact.values["tensors"] = tensors_of(context, site);
  }
  add_guards(context);
}

}  // namespace cutelab::reading
