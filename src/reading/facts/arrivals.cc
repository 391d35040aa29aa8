#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

// Who arrives on the barriers of a pipeline: sizes of its groups and warps of each role.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int warp_threads = 32;
constexpr int most_warps = 32;  ///< of a CTA: 1024 threads

/// What an index counts: warps of the CTA, or its warpgroups (4 warps).
enum class IndexUnit { none, warp, warpgroup };

class RoleWarps {
 public:
  RoleWarps(FactContext& context, std::optional<std::int64_t> threads)
      : context_(context), warps_(threads ? static_cast<int>(*threads / warp_threads) : most_warps) {
    bounded_ = threads.has_value();
    warps_ = std::clamp(warps_, 0, most_warps);
  }

  /// Warps for which the condition holds; none when it, or the number of warps, cannot be told.
  std::optional<std::vector<int>> of(Node condition) {
    std::vector<int> out;
    for (int w = 0; w < warps_; ++w) {
      const auto holds = test(condition, w);
      if (!holds) return std::nullopt;
      if (*holds) out.push_back(w);
    }
    if (!bounded_ && !out.empty() && out.back() == most_warps - 1) return std::nullopt;
    return out;
  }

  std::optional<std::vector<int>> others(const std::vector<int>& taken) const {
    if (!bounded_) return std::nullopt;
    std::vector<int> out;
    for (int w = 0; w < warps_; ++w)
      if (std::find(taken.begin(), taken.end(), w) == taken.end()) out.push_back(w);
    return out;
  }

 private:
  std::optional<bool> test(Node n, int warp) {
    if (n.is(NodeKind::parenthesized_expression)) return test(n.first(), warp);
    if (n.is(NodeKind::not_operator)) {
      const auto inner = test(n.child(Field::argument_field), warp);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (n.is(NodeKind::boolean_operator)) return both(n, warp);
    if (n.is(NodeKind::comparison_operator)) return compared(n, warp);
    if (n.is(NodeKind::identifier)) {
      const Node test_of = bound_value(n);
      if (test_of.is(NodeKind::comparison_operator) || test_of.is(NodeKind::boolean_operator))
        return test(test_of, warp);
    }
    return std::nullopt;
  }

  static bool speaks_of_warps(Node n) {
    const std::string low = to_lower(n.text());
    return low.find("warp") != std::string::npos || low.find("tid") != std::string::npos ||
           low.find("thread") != std::string::npos || low.find("wg_") != std::string::npos;
  }

  std::optional<bool> both(Node n, int warp) {
    const auto left = test(n.child(Field::left_field), warp);
    const auto right = test(n.child(Field::right_field), warp);
    bool all = false;
    for (Node c = n.first(); c; c = c.next()) all = all || c.text() == "and";
    if (left && right) return all ? *left && *right : *left || *right;
    // A test of something else (a leader CTA, a work tile) does not say which warps.
    const Node other = left ? n.child(Field::right_field) : n.child(Field::left_field);
    if (all && (left || right) && !speaks_of_warps(other)) return left ? left : right;
    // One side decides alone: warp_idx == 4 and <anything> is false for the other warps.
    const auto& known = left ? left : right;
    return known && *known != all ? known : std::nullopt;
  }

  std::optional<bool> compared(Node n, int warp) {
    std::vector<Node> operands;
    std::vector<std::string> operators;
    for (Node c = n.first(); c; c = c.next()) {
      if (c.is(NodeKind::comment)) continue;
      if (c.is(NodeKind::op) || c.field() == Field::operators_field)
        operators.emplace_back(c.text());
      else
        operands.push_back(c);
    }
    if (operands.size() < 2 || operators.size() + 1 != operands.size()) return std::nullopt;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const auto one = relation(operands[i], operators[i], operands[i + 1], warp);
      if (!one) return std::nullopt;
      if (!*one) return false;
    }
    return true;
  }

  std::optional<bool> relation(Node left, const std::string& op, Node right, int warp) {
    const auto a = number(left, warp);
    if (!a) return std::nullopt;
    if (op == "in" || op == "not in") {
      const Abstract set = context_.evaluator.value_of(0, right);
      if (!set.is(Abstract::Kind::tuple)) return std::nullopt;
      bool found = false;
      for (const Abstract& item : set.items) {
        if (!item.is_number()) return std::nullopt;
        found = found || item.number == *a;
      }
      return found == (op == "in");
    }
    const auto b = number(right, warp);
    if (!b) return std::nullopt;
    return op == "=="   ? *a == *b
           : op == "!=" ? *a != *b
           : op == "<"  ? *a < *b
           : op == "<=" ? *a <= *b
           : op == ">"  ? *a > *b
           : op == ">=" ? *a >= *b
                        : std::optional<bool>();
  }

  std::optional<std::int64_t> number(Node n, int warp) {
    switch (unit_of(n, 0)) {
      case IndexUnit::warp:
        return warp;
      case IndexUnit::warpgroup:
        return warp / 4;
      case IndexUnit::none:
        break;
    }
    const Abstract value = context_.evaluator.value_of(0, n);
    return value.is_number() ? std::optional(value.number) : std::nullopt;
  }

  Node bound_value(Node name) {
    const source::PythonModule& module = context_.module();
    Node found;
    for (int scope = module.function_at(name); scope >= 0;
         scope = module.functions()[static_cast<std::size_t>(scope)].enclosing) {
      const auto& bound = module.bindings(scope, std::string(name.text()));
      for (const int index : bound) {
        const source::Assignment& a = module.assignments()[static_cast<std::size_t>(index)];
        if (a.form != source::Assignment::Form::plain || !a.slots.empty()) return {};
        if (a.statement.span().end <= name.span().begin) found = a.value;
      }
      if (!bound.empty()) return found;
    }
    return {};
  }

  IndexUnit unit_of(Node n, int depth) {
    if (depth > 4) return IndexUnit::none;
    if (n.is(NodeKind::call)) {
      const std::string leaf = leaf_name(n.child(Field::function_field).text());
      if (leaf == "make_warp_uniform") return unit_of(n.child(Field::arguments_field).first(), depth + 1);
      if (leaf == "warp_idx" || leaf == "canonical_warp_idx") return IndexUnit::warp;
      if (leaf == "canonical_warp_group_idx" || leaf == "warp_group_idx") return IndexUnit::warpgroup;
      return IndexUnit::none;
    }
    if (n.is(NodeKind::binary_operator)) return unit_of_quotient(n, depth);
    if (!n.is(NodeKind::identifier)) return IndexUnit::none;
    const Node value = bound_value(n);
    if (value && value != n) {
      // warp_idx = make_warp_uniform(warp_idx): the earlier binding tells
      return unit_of(value, depth + 1);
    }
    return value || n.text() != "warp_idx" ? IndexUnit::none : IndexUnit::warp;
  }

  IndexUnit unit_of_quotient(Node n, int depth) {
    if (n.text().find("//") == std::string_view::npos) return IndexUnit::none;
    const Node left = n.child(Field::left_field);
    const Abstract by = context_.evaluator.value_of(0, n.child(Field::right_field));
    if (!by.is(Abstract::Kind::integer)) return IndexUnit::none;
    const std::string name = to_lower(leaf_name(left.text()));
    const bool threads = name == "tidx" || name == "thread_idx" || name == "tid";
    if (threads)
      return by.number == 32 ? IndexUnit::warp : by.number == 128 ? IndexUnit::warpgroup : IndexUnit::none;
    return by.number == 4 && unit_of(left, depth + 1) == IndexUnit::warp ? IndexUnit::warpgroup
                                                                         : IndexUnit::none;
  }

  FactContext& context_;
  int warps_;
  bool bounded_ = false;
};

/// Threads of the one launch shape of this file; none when launches differ or are not determined.
std::optional<std::int64_t> threads_of_launches(const FactContext& context) {
  std::set<std::int64_t> seen;
  for (const Draft& d : context.drafts) {
    if (d.fact.kind != evidence::kind::launch) continue;
    const auto threads = d.fact.values.find("threads");
    const auto n = threads == d.fact.values.end() ? std::nullopt : threads->second.integer();
    if (!n) return std::nullopt;
    seen.insert(*n);
  }
  return seen.size() == 1 ? std::optional(*seen.begin()) : std::nullopt;
}

evidence::Value computed_list(const std::vector<int>& numbers, Node condition) {
  evidence::Value out;
  evidence::Value::List items;
  for (const int n : numbers) items.push_back(evidence::literal(static_cast<std::int64_t>(n)));
  out.data = std::move(items);
  out.known_by = evidence::KnownBy::computed;
  out.formula = std::string(condition.text().substr(0, 200));
  return out;
}

/// Warps and threads of every block that only some warps run.
void add_role_warps(FactContext& context) {
  RoleWarps warps(context, threads_of_launches(context));
  std::map<std::uint32_t, std::optional<std::vector<int>>> taken;  // by the `if` that a chain starts with
  std::vector<RoleBlock> in_order = context.roles;  // an else was noted before the elifs ahead of it
  std::stable_sort(in_order.begin(), in_order.end(), [](const RoleBlock& a, const RoleBlock& b) {
    return a.statement.index() < b.statement.index();
  });
  for (const RoleBlock& role : in_order) {
    if (role.condition == role.statement) continue;  // a task says its own
    const Node chain = role.statement.is(NodeKind::if_statement) ? role.statement : role.statement.parent();
    auto& earlier = taken.try_emplace(chain.index(), std::vector<int>()).first->second;
    auto found = !role.otherwise ? warps.of(role.condition)
                 : earlier       ? warps.others(*earlier)
                                 : std::optional<std::vector<int>>();
    if (!found || !earlier) {
      earlier.reset();
      continue;
    }
    std::erase_if(*found,
                  [&](int w) { return std::find(earlier->begin(), earlier->end(), w) != earlier->end(); });
    earlier->insert(earlier->end(), found->begin(), found->end());
    for (Draft& d : context.drafts)
      if (d.construct == "dispatch" && d.node == role.statement && !found->empty()) {
        evidence::Value threads = evidence::literal(static_cast<std::int64_t>(found->size()) * warp_threads);
        threads.known_by = evidence::KnownBy::computed;
        threads.formula = std::to_string(found->size()) + " * 32";
        d.fact.values["threads"] = threads;
        d.fact.values["warps"] = computed_list(*found, role.condition);
        if (role.elected && found->size() > 1) {  // several whole warps: nobody is elected
          d.fact.values["elected"] = evidence::literal(false);
          d.fact.values["rejoins"] = evidence::literal(true);
        }
      }
  }
}

/// CooperativeGroup(Agent.Thread, n): how many arrivals it stands for; 1 when the size is left out.
evidence::Value arrivals_of(FactContext& context, Node group) {
  Abstract made = context.evaluator.value_of(0, group);
  Node call = group;
  const bool here = group.is(NodeKind::call);
  if (!here) call = made.is(Abstract::Kind::object) ? made.made_at : Node();
  if (!call.is(NodeKind::call) || leaf_name(call.child(Field::function_field).text()) != "CooperativeGroup")
    return evidence::undetermined("the group is made elsewhere", {std::string(group.text().substr(0, 80))},
                                  context.at(group), "");
  Node size = context.positional(call, 1);
  for (const char* name : {"size", "num_threads", "threads"})
    if (!size) size = context.keyword(call, name);
  if (!size) return evidence::literal(std::int64_t{1});
  return here ? context.value(size) : context.value(context.evaluator.argument_of(made, size), size);
}

void add_group_sizes(FactContext& context) {
  for (Draft& d : context.drafts) {
    if (d.fact.kind == "cooperative-group" && d.node.is(NodeKind::call))
      d.fact.values["arrivals"] = arrivals_of(context, d.node);
    if (d.fact.kind != evidence::kind::pipeline || !d.node.is(NodeKind::call)) continue;
    if (const Node group = context.keyword(d.node, "consumer_group"))
      d.fact.values["consumer_arrivals"] = arrivals_of(context, group);
    if (const Node group = context.keyword(d.node, "producer_group"))
      d.fact.values["producer_arrivals"] = arrivals_of(context, group);
    for (const char* key : {"enable_multicast_signaling", "mcast_mode_mn", "tidx"})
      if (const Node given = context.keyword(d.node, key)) d.fact.values[key] = context.value(given);
  }
}
}  // namespace

void extract_arrivals(FactContext& context) {
  add_role_warps(context);
  add_group_sizes(context);
  tell_arrivals(context);
}

}  // namespace cutelab::reading
