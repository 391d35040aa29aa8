#include <string>
#include <vector>

#include "reading/cpp/cpp_facts.h"

/// The one thread that tests around a statement leave.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
/// `threadIdx.x == 0`, `elect_one_sync()`, or a name for such a test: one thread; "" = none of these.
std::string thread_picked(const CppContext& context, Node condition, int depth = 0) {
  for (std::uint32_t i = condition.index(); condition && i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (n.is(NodeKind::binary_expression) && n.child(Field::operator_token).text() == "==" &&
        n.child(Field::left_field).text() == "threadIdx.x" &&
        n.child(Field::right_field).is(NodeKind::number_literal))
      return "thread " + std::string(n.child(Field::right_field).text());
    if (!n.is(NodeKind::identifier)) continue;
    if (n.text() == "elect_one_sync") return "one elected thread";
    const Node made = depth < 2 ? context.folder.definition_of(n) : Node();
    if (!made.is(NodeKind::init_declarator) || made.contains(condition) || made.tree() != condition.tree())
      continue;
    if (std::string picked = thread_picked(context, made.child(Field::value_field), depth + 1);
        !picked.empty())
      return picked;
  }
  return {};
}

/// `threadIdx.x % 32`, `threadIdx.x % 128`, a lane: a number that no two threads of a warp share.
bool numbers_lanes(const CppContext& context, Node n, int depth = 0) {
  if (n.is(NodeKind::binary_expression) && n.child(Field::operator_token).text() == "%") {
    const auto by = context.folder.value(n.child(Field::right_field)).integer();
    return n.child(Field::left_field).text() == "threadIdx.x" && by && *by >= 32 && *by % 32 == 0;
  }
  const Node made = n.is(NodeKind::identifier) && depth < 2 ? context.folder.definition_of(n) : Node();
  if (made.is(NodeKind::init_declarator) && !made.contains(n))
    return numbers_lanes(context, made.child(Field::value_field), depth + 1);
  return n.text().find("lane_id") != std::string_view::npos;
}

/// `!x` or `x || y`: what is asked for is not what holds.
bool weakens(std::string_view condition) {
  for (auto at = condition.find('!'); at != std::string_view::npos; at = condition.find('!', at + 1))
    if (at + 1 < condition.size() && condition[at + 1] != '=') return true;
  return condition.find("||") != std::string_view::npos;
}

/// The calls of a lambda that a variable of the same function holds.
std::vector<Node> calls_of_lambda(Node lambda) {
  std::vector<Node> out;
  const Node holder = lambda.parent();
  const Node function = lambda.enclosing(NodeKind::function_definition);
  if (!holder.is(NodeKind::init_declarator) || !function) return out;
  const std::string_view name = holder.child(Field::declarator_field).text();
  for (std::uint32_t i = function.index(); i < function.end_index(); ++i)
    if (const Node n = function.tree()->at(i);
        n.is(NodeKind::call_expression) && n.child(Field::function_field).text() == name)
      out.push_back(n);
  return out;
}

}  // namespace

bool cpp_elects(const CppContext& context, Node condition) {
  if (weakens(condition.text())) return false;
  if (!thread_picked(context, condition).empty()) return true;
  for (std::uint32_t i = condition.index(); condition && i < condition.end_index(); ++i)
    if (const Node n = condition.tree()->at(i); n.is(NodeKind::binary_expression) &&
                                                n.child(Field::operator_token).text() == "==" &&
                                                numbers_lanes(context, n.child(Field::left_field)))
      return true;
  return false;
}

std::string cpp_thread_of(const CppContext& context, Node at, int depth) {
  for (Node n = at; n && !n.is(NodeKind::function_definition); n = n.parent()) {
    const Node above = n.parent();
    if (above.is(NodeKind::if_statement) && n.field() == Field::consequence_field)
      if (std::string picked = thread_picked(context, above.child(Field::condition_field)); !picked.empty())
        return picked;
    if (!n.is(NodeKind::lambda_expression) || depth > 1) continue;
    std::string one;
    for (const Node call : calls_of_lambda(n)) {
      const std::string who = cpp_thread_of(context, call, depth + 1);
      if (who.empty() || (!one.empty() && who != one)) return {};
      one = who;
    }
    return one;
  }
  return {};
}

}  // namespace cutelab::reading
