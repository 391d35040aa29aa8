#include "reading/facts/role_names.h"

#include <algorithm>

#include "base/text.h"

namespace cutelab::reading {
using source::Assignment;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool is_index_name(std::string_view text) {
  if (text.find_first_of("wW") == std::string_view::npos) return false;  // as most names
  const std::string name = leaf_name(text);
  const std::string low = to_lower(name);
  return low.find("warp_idx") != std::string::npos || low.find("warp_id") != std::string::npos ||
         low.find("warp_group_idx") != std::string::npos || low.find("warpgroup_idx") != std::string::npos ||
         low.find("warp_group_role") != std::string::npos || low == "warp" || low == "wg_idx" ||
         low == "widx" || low.find("warp_group_thread") != std::string::npos || low == "wid" ||
         low == "warp_rank" || low.find("warp_role") != std::string::npos;
}

bool names_index(Node expression) {
  for (std::uint32_t i = expression.index(); i < expression.end_index(); ++i) {
    const Node n = expression.tree()->at(i);
    if (n.is(NodeKind::identifier) && (is_index_name(n.text()) || is_role_flag(n.text()))) return true;
  }
  return false;
}

/// `producer = warp_idx == 0` … `if producer:`: a name for a test of the warp.
bool names_test(const FactContext& context, Node name) {
  const source::PythonModule& module = context.module();
  const auto& bound = module.bindings(module.function_at(name), std::string(name.text()));
  return std::any_of(bound.begin(), bound.end(), [&](int index) {
    const Assignment& a = module.assignments()[static_cast<std::size_t>(index)];
    return a.form == Assignment::Form::plain && a.slots.empty() &&
           a.value.is(NodeKind::comparison_operator) && names_index(a.value);
  });
}

/// "load" of self.load_warp_id, "prod" of _WARP_PROD, "mma" of is_mma_thr; "" when the rest is no name.
std::string without_affixes(std::string name) {
  name = to_lower(leaf_name(name));
  while (name.starts_with("_")) name.erase(0, 1);
  if (name.starts_with("is_")) name.erase(0, 3);
  if (name.starts_with("warp_") && !is_index_name(name)) name.erase(0, 5);
  for (const char* tail : {"_warp_group_idx", "_warp_group_ids", "_warp_group_id", "_warpgroup_idx",
                           "_warp_groups", "_warpgroups", "_warp_group", "_warp_ids", "_warp_id", "_warps",
                           "_warp", "_threads", "_thread", "_thr", "_id", "_ids"})
    if (name.ends_with(tail)) {
      name = name.substr(0, name.size() - std::string_view(tail).size());
      break;
    }
  return name.empty() || is_index_name(name) ? "" : name;
}

bool is_count(const std::string& name) {
  const std::string low = to_lower(leaf_name(name));
  return low.starts_with("num_") || low.starts_with("n_") || low.find("_num_") != std::string::npos;
}

/// The constant that a comparison singles out: `warp_idx == self.mma_warp_id`, `in self.ids`, a range that
/// begins or ends at one of a list. Where the index lies below a constant, it is none of that constant's
/// warps; a number of warps names nobody.
std::string singled_out(Node comparison) {
  Node left, right;
  std::string op;
  for (const Node c : comparison.children()) {
    if (c.is(NodeKind::op) || c.field() == Field::operators_field)
      op += c.text();
    else
      (left ? right : left) = c;
  }
  if (!left || !right) return {};
  if (!names_index(left)) {
    if (!names_index(right)) return {};
    std::swap(left, right);
    op = op == "<=" ? ">=" : op == ">=" ? "<=" : op == "<" ? ">" : op == ">" ? "<" : op;
  }
  const bool listed = right.is(NodeKind::subscript);
  const Node constant = listed ? right.child(Field::value_field) : right;
  if (!constant.is(NodeKind::identifier) && !constant.is(NodeKind::attribute)) return {};
  const bool one = op == "==" || op == "in" || op == ">=" || (listed && op == "<=");
  const std::string name(constant.text());
  return one && !is_count(name) ? without_affixes(name) : "";
}

/// The name of a role by the constants of its condition; "" when they name none.
std::string constant_in(const FactContext& context, Node condition, int depth) {
  for (std::uint32_t i = condition.index(); i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (n.is(NodeKind::not_operator)) return {};
    if (n.is(NodeKind::comparison_operator))
      if (const std::string name = singled_out(n); !name.empty()) return name;
    if (!n.is(NodeKind::identifier) || depth > 0 || !names_test(context, n)) continue;
    const source::PythonModule& module = context.module();
    for (const int index : module.bindings(module.function_at(n), std::string(n.text()))) {
      const Node test = module.assignments()[static_cast<std::size_t>(index)].value;
      if (const std::string name = constant_in(context, test, depth + 1); !name.empty()) return name;
    }
  }
  return {};
}

}  // namespace

bool is_role_flag(std::string_view text) {
  const std::string_view last = text.substr(text.rfind('.') + 1);  // npos + 1 = 0: all of it
  if (last.size() < 3 || last[2] != '_') return false;
  const std::string low = to_lower(leaf_name(text));
  return low.starts_with("is_") &&
         (low.find("warp") != std::string::npos || low.find("producer") != std::string::npos ||
          low.find("consumer") != std::string::npos || low.find("dma") != std::string::npos);
}

bool is_leader(std::string_view text) { return to_lower(text).find("leader") != std::string::npos; }

bool mentions_index(const FactContext& context, Node condition) {
  if (names_index(condition)) return true;
  for (std::uint32_t i = condition.index(); i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    const bool operand =
        n.is(NodeKind::identifier) &&
        (n == condition || n.parent().is(NodeKind::not_operator) ||
         n.parent().is(NodeKind::boolean_operator) || n.parent().is(NodeKind::parenthesized_expression));
    if (operand && names_test(context, n)) return true;
  }
  return false;
}

std::string role_of_constant(const std::string& constant) { return without_affixes(constant); }

std::string constant_name(const FactContext& context, Node condition) {
  return constant_in(context, condition, 0);
}

std::string role_name(const FactContext& context, Node condition) {
  if (const std::string name = constant_name(context, condition); !name.empty()) return name;
  for (std::uint32_t i = condition.index(); i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (!n.is(NodeKind::identifier)) continue;
    const std::string name = to_lower(n.text());
    if (name == "self" || name == "cute" || name == "arch" || name == "const_expr" || name == "cutlass" ||
        is_index_name(name) || is_count(name))
      continue;
    if (const std::string role = without_affixes(name); !role.empty()) return role;
  }
  return std::string(condition.text().substr(0, 40));
}

}  // namespace cutelab::reading
