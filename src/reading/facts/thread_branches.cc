#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "evidence/names.h"
#include "reading/facts/context.h"

// Branches that part the threads of one warp: what works a warp at a time must not stand in them.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int warp_size = 32, most_threads = 1024;
constexpr int deepest_name = 4;

/// Numbers that do not hang on the thread, by their node: asked once, not for each thread.
using SameForAll = std::unordered_map<std::uint32_t, std::optional<std::int64_t>>;

/// What an expression or a condition is for one thread, counted along the first mode of the block.
class ThreadTest {
 public:
  ThreadTest(FactContext& context, SameForAll& same_for_all, int thread)
      : context_(context), same_for_all_(same_for_all), thread_(thread) {}

  std::optional<bool> holds(Node n, int depth = 0) {
    if (!n || depth > deepest_name) return std::nullopt;
    if (n.is(NodeKind::parenthesized_expression)) return holds(n.first(), depth);
    if (n.is(NodeKind::not_operator)) {
      const auto inner = holds(n.child(Field::argument_field), depth);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (n.is(NodeKind::boolean_operator)) return both(n, depth);
    if (n.is(NodeKind::comparison_operator)) return compared(n, depth);
    if (n.is(NodeKind::identifier)) return holds(plainly_bound(n), depth + 1);
    return std::nullopt;
  }

  /// Whether an index of the thread was asked for; else the answer is the same for all.
  bool asked = false;

 private:
  /// `and` with something that is not about threads says what the rest says; `or` does not.
  std::optional<bool> both(Node n, int depth) {
    const auto left = holds(n.child(Field::left_field), depth);
    const auto right = holds(n.child(Field::right_field), depth);
    bool all = false;
    for (Node c = n.first(); c; c = c.next()) all = all || c.text() == "and";
    if (left && right) return all ? *left && *right : *left || *right;
    return all ? (left ? left : right) : std::nullopt;
  }

  std::optional<bool> compared(Node n, int depth) {
    Node operands[2];
    int count = 0;
    std::string_view op;  // of an operator of two words ("is not") the last: it is none of those below either
    for (Node c = n.first(); c; c = c.next()) {
      if (c.is(NodeKind::comment)) continue;
      if (c.is(NodeKind::op) || c.field() == Field::operators_field)
        op = c.text();
      else if (count++ < 2)
        operands[count - 1] = c;
    }
    if (count != 2) return std::nullopt;
    const auto a = number(operands[0], depth), b = number(operands[1], depth);
    if (!a || !b) return std::nullopt;
    if (op == "==") return *a == *b;
    if (op == "!=") return *a != *b;
    if (op == "<") return *a < *b;
    if (op == "<=") return *a <= *b;
    if (op == ">") return *a > *b;
    if (op == ">=") return *a >= *b;
    return std::nullopt;
  }

  std::optional<std::int64_t> number(Node n, int depth) {
    if (!n || depth > deepest_name) return std::nullopt;
    if (n.is(NodeKind::parenthesized_expression)) return number(n.first(), depth);
    if (n.is(NodeKind::call)) return of_call(n, depth);
    if (n.is(NodeKind::binary_operator)) return of_operator(n, depth);
    if (n.is(NodeKind::identifier)) {
      if (is_thread_index(n)) return thread();
      if (const Node value = plainly_bound(n))
        if (const auto known = number(value, depth + 1)) return known;
    }
    const auto [known, fresh] = same_for_all_.try_emplace(n.index());
    if (fresh)
      if (const Abstract value = context_.evaluator.value_of(0, n); value.is_number())
        known->second = value.number;
    return known->second;
  }

  std::optional<std::int64_t> of_call(Node call, int depth) {
    const std::string_view leaf = last_part(call.child(Field::function_field).text());
    if (leaf == "lane_idx") return thread() % warp_size;
    if (leaf == "warp_idx") return thread() / warp_size;
    if (leaf == "make_warp_uniform") return number(context_.positional(call, 0), depth + 1);
    return std::nullopt;
  }

  std::optional<std::int64_t> of_operator(Node n, int depth) {
    const auto a = number(n.child(Field::left_field), depth), b = number(n.child(Field::right_field), depth);
    const std::string_view op = n.child(Field::operator_token).text();
    if (!a || !b) return std::nullopt;
    if (op == "+") return *a + *b;
    if (op == "-") return *a - *b;
    if (op == "//" && *a >= 0 && *b > 0) return *a / *b;
    if (op == "%" && *a >= 0 && *b > 0) return *a % *b;
    return std::nullopt;
  }

  int thread() {
    asked = true;
    return thread_;
  }

  /// The one assignment of a local name ahead of its use; nullptr: none, or another binding may be meant.
  const source::Assignment* bound(Node name) const {
    const source::PythonModule& module = context_.module();
    const int scope = module.function_at(name);
    if (scope < 0) return nullptr;
    const auto& all = module.bindings(scope, name.text());
    return all.size() == 1 ? &module.assignments()[static_cast<std::size_t>(all.front())] : nullptr;
  }

  Node plainly_bound(Node name) const {
    const source::Assignment* a = bound(name);
    return a && a->form == source::Assignment::Form::plain && a->slots.empty() ? a->value : Node();
  }

  /// tidx of `tidx, _, _ = cute.arch.thread_idx()`.
  bool is_thread_index(Node name) const {
    const source::Assignment* a = bound(name);
    return a && a->value.is(NodeKind::call) && a->slots.size() == 1 && a->slots.front() == 0 &&
           last_part(a->value.child(Field::function_field).text()) == "thread_idx";
  }

  FactContext& context_;
  SameForAll& same_for_all_;
  int thread_;
};

/// Whether a condition is true for some threads of a warp and false for others of it.
bool parts_a_warp(FactContext& context, Node condition) {
  SameForAll same_for_all;
  for (int first = 0; first < most_threads; first += warp_size) {
    std::array<bool, 2> seen = {false, false};
    for (int t = first; t < first + warp_size; ++t) {
      ThreadTest test(context, same_for_all, t);
      const auto holds = test.holds(condition);
      if (!holds || !test.asked) return false;
      seen[*holds ? 1 : 0] = true;
    }
    if (seen[0] && seen[1]) return true;
  }
  return false;
}

/// The same, by the condition's node: many copies stand under one condition.
using PartsAWarp = std::unordered_map<std::uint32_t, bool>;

/// The condition or election between a statement and its function that lets only part of a warp through.
std::string parting_condition(FactContext& context, PartsAWarp& known, Node statement) {
  for (Node n = statement; n && !n.is(NodeKind::function_definition); n = n.parent()) {
    const Node above = n.parent();
    if (above.is(NodeKind::with_statement) && n.field() == Field::body_field &&
        above.text().substr(0, 160).find("elect_one()") != std::string_view::npos)
      return "elect_one()";
    const bool branch = above.is(NodeKind::if_statement) || above.is(NodeKind::elif_clause);
    if (!branch || n.field() != Field::consequence_field) continue;
    const Node condition = above.child(Field::condition_field);
    const auto [parts, fresh] = known.try_emplace(condition.index());
    if (fresh) parts->second = parts_a_warp(context, condition);
    if (parts->second) return std::string(condition.text().substr(0, 120));
  }
  return {};
}

/// A copy of a tensor's box: it names a transaction barrier, or its atom is one of those. Bulk copies without
/// a tensor (`mbar_ptr=`) leave the election to the caller, in most releases.
bool moves_a_box(FactContext& context, const Draft& draft) {
  if (leaf_name(draft.node.child(Field::function_field).text()) != "copy" ||
      context.keyword(draft.node, "mbar_ptr"))
    return false;
  return context.keyword(draft.node, "tma_bar_ptr") || leaf_name(draft.path).starts_with("CopyBulkTensor");
}
}  // namespace

void extract_thread_branches(FactContext& context) {
  PartsAWarp known;
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != evidence::kind::copy || !draft.node.is(NodeKind::call) ||
        !moves_a_box(context, draft))
      continue;
    const std::string parts = parting_condition(context, known, draft.node);
    draft.fact.values["reached_by"] =
        evidence::literal(parts.empty() ? "whole warps" : "part of a warp: " + parts);
  }
}

}  // namespace cutelab::reading
