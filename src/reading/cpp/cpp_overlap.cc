#include "reading/cpp/cpp_overlap.h"

#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int most_call_steps = 3;

std::string callee_of(Node call) {
  return call.is(NodeKind::call_expression) ? leaf_name(call.child(Field::function_field)) : std::string();
}

/// Whether code, or a function of these sources that it calls, calls one of those names.
bool calls_one_of(const CppContext& context, Node block, const std::set<std::string>& names, int depth = 0) {
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const Node n = block.tree()->at(i);
    const std::string leaf = callee_of(n);
    if (leaf.empty()) continue;
    if (names.count(leaf)) return true;
    const auto body = context.bodies.find(leaf);
    if (depth < most_call_steps && body != context.bodies.end() && !body->second.contains(n) &&
        calls_one_of(context, body->second, names, depth + 1))
      return true;
  }
  return false;
}

/// The lambda that a variable of a name holds at a use; no node where it holds none.
Node lambda_named(const CppContext& context, Node name) {
  const Node made = name.is(NodeKind::identifier) ? context.folder.definition_of(name) : Node();
  const Node value = made.is(NodeKind::init_declarator) ? made.child(Field::value_field) : Node();
  return value.is(NodeKind::lambda_expression) ? value : Node();
}

/// Which parameter of the lambda or function around a call the callee is; -1 = none.
int parameter_called(Node call, Node* taker) {
  const Node callee = call.child(Field::function_field);
  for (Node up = call.parent(); callee.is(NodeKind::identifier) && up; up = up.parent()) {
    const bool lambda = up.is(NodeKind::lambda_expression);
    if (!lambda && !up.is(NodeKind::function_definition)) continue;
    Node declarator = lambda ? up.child(Field::declarator_field) : cpp_function_name(up).parent();
    int position = 0;
    for (const Node p : cpp_items(declarator.child(Field::parameters_field))) {
      if (cpp_declared_name(p.child(Field::declarator_field)).text() == callee.text()) {
        *taker = up;
        return position;
      }
      ++position;
    }
  }
  return -1;
}

/// The code that callers give to a parameter of a lambda or function.
std::vector<Node> given_to(const CppContext& context, Node taker, int position) {
  const bool lambda = taker.is(NodeKind::lambda_expression);
  const std::string name(
      lambda ? std::string(cpp_declared_name(taker.parent().child(Field::declarator_field)).text())
             : leaf_name(cpp_function_name(taker)));
  std::vector<Node> out;
  for (const Node n : context.nodes()) {
    if (callee_of(n) != name || name.empty()) continue;
    if (lambda &&
        (n.tree() != taker.tree() || lambda_named(context, n.child(Field::function_field)) != taker))
      continue;
    const auto arguments = cpp_items(n.child(Field::arguments_field));
    if (static_cast<std::size_t>(position) >= arguments.size()) continue;
    const Node given = arguments[static_cast<std::size_t>(position)];
    const Node held = given.is(NodeKind::lambda_expression) ? given : lambda_named(context, given);
    if (held) out.push_back(held);
  }
  return out;
}

const std::set<std::string>& store_calls() {
  static const std::set<std::string> names = {"tma_store_arrive", "tma_store_fence"};
  return names;
}

/// `commit(); … store(); … wait();`: what stands between runs while the products do.
void look_under_products(CppContext& context, Node commit) {
  Node statement = commit;
  while (statement && !statement.is(NodeKind::expression_statement)) statement = statement.parent();
  std::vector<Node> between;
  bool waited = false;
  for (Node next = statement.next(); next && !waited; next = next.next()) {
    const std::string leaf = callee_of(next.first());
    waited = leaf == "warpgroup_wait";
    if (!waited && next.is(NodeKind::expression_statement) && !leaf.empty()) between.push_back(next.first());
  }
  if (!waited) return;
  for (const Node call : between) {
    bool stores = false;
    Node taker;
    const auto body = context.bodies.find(callee_of(call));
    if (const int position = parameter_called(call, &taker); position >= 0)
      for (const Node given : given_to(context, taker, position))
        stores = stores || calls_one_of(context, given, store_calls());
    else if (body != context.bodies.end())
      stores = calls_one_of(context, body->second, store_calls());
    if (!stores) continue;
    CppDraft& draft = context.add(Family::D4, "store-under-products", std::string(call.text().substr(0, 60)),
                                  "a store is issued while products run", call);
    draft.construct = "store-under-products";
    draft.fact.optional = true;
  }
}

std::set<std::string_view> identifiers_in(Node n) {
  std::set<std::string_view> out;
  for (std::uint32_t i = n.index(); n && i < n.end_index(); ++i)
    if (n.tree()->at(i).is(NodeKind::identifier)) out.insert(n.tree()->at(i).text());
  return out;
}

/// Whether an expression subtracts one of those names, or flips it: the other one's number.
bool takes_the_other(Node n, const std::set<std::string_view>& names) {
  for (std::uint32_t i = n.index(); i < n.end_index(); ++i) {
    const Node part = n.tree()->at(i);
    if (!part.is(NodeKind::binary_expression)) continue;
    const std::string_view op = part.child(Field::operator_token).text();
    if (op == "-" && names.count(part.child(Field::right_field).text())) return true;
    if (op == "^" && (names.count(part.child(Field::left_field).text()) ||
                      names.count(part.child(Field::right_field).text())))
      return true;
  }
  return false;
}

/// sync(n, first + group) and arrive(n, first + 1 - group): each waits for its own turn and gives the other
/// one its.
void look_for_turns(CppContext& context) {
  std::vector<Node> syncs, arrivals;  // the barrier's number
  for (const Node n : context.nodes()) {
    const Node callee = n.is(NodeKind::call_expression) ? n.child(Field::function_field) : Node();
    if (callee.text().find("NamedBarrier::") == std::string_view::npos || !cpp_on_device(n)) continue;
    const std::string leaf = leaf_name(callee);
    const auto arguments = cpp_items(n.child(Field::arguments_field));
    if (arguments.size() < 2) continue;
    if (leaf == "sync" || leaf == "arrive_and_wait") syncs.push_back(arguments[1]);
    if (leaf == "arrive") arrivals.push_back(arguments[1]);
  }
  for (const Node wait : syncs)
    for (const Node arrive : arrivals) {
      const auto names = identifiers_in(wait);
      if (names.size() < 2 || names != identifiers_in(arrive) || wait.tree() != arrive.tree()) continue;
      if (takes_the_other(wait, names) || !takes_the_other(arrive, names)) continue;
      CppDraft& draft = context.add(Family::D5, "turn", std::string(wait.text().substr(0, 60)),
                                    "groups of warps take turns: each waits at " + std::string(wait.text()) +
                                        " and wakes " + std::string(arrive.text()),
                                    wait);
      draft.construct = "turn";
      draft.fact.optional = true;
    }
}

/// The innermost loop around a node, within its function.
Node cpp_loop_around(Node n) {
  for (Node up = n.parent(); up && !up.is(NodeKind::function_definition); up = up.parent())
    if (is_loop(up)) return up;
  return {};
}

/// Whether a loop gives a tensor to a product, itself or through a lambda or function that multiplies.
bool multiplies_into(const CppContext& context, Node loop, std::string_view tensor) {
  for (std::uint32_t i = loop.index(); i < loop.end_index(); ++i) {
    const Node n = loop.tree()->at(i);
    const std::string leaf = callee_of(n);
    if (leaf.empty()) continue;
    bool given = false;
    for (const Node argument : cpp_items(n.child(Field::arguments_field)))
      given = given || argument.text() == tensor;
    if (!given) continue;
    if (leaf == "gemm") return true;
    const auto body = context.bodies.find(leaf);
    const Node lambda = lambda_named(context, n.child(Field::function_field));
    const Node code = lambda ? lambda : body != context.bodies.end() ? body->second : Node();
    if (code && calls_one_of(context, code, {"gemm"})) return true;
  }
  return false;
}

/// `for (i …) total(i) += sums(i);` in a loop whose products add to `sums`.
void look_at_addition(CppContext& context, Node assignment) {
  const Node left = assignment.child(Field::left_field), right = assignment.child(Field::right_field);
  if (assignment.child(Field::operator_token).text() != "+=" || !left.is(NodeKind::call_expression) ||
      !right.is(NodeKind::call_expression))
    return;
  const Node to = left.child(Field::function_field), from = right.child(Field::function_field);
  if (!to.is(NodeKind::identifier) || !from.is(NodeKind::identifier) || to.text() == from.text() ||
      left.child(Field::arguments_field).text() != right.child(Field::arguments_field).text())
    return;
  const Node inner = cpp_loop_around(assignment);
  const Node outer = inner ? cpp_loop_around(inner) : Node();
  if (!outer || !multiplies_into(context, outer, from.text())) return;
  CppDraft& draft = context.add(
      Family::D4, "promoted-sums", std::string(to.text().substr(0, 60)),
      "sums of some products are added to a second set of registers, " + std::string(to.text().substr(0, 60)),
      assignment);
  draft.construct = "promoted-sums";
  draft.fact.optional = true;
}

/// `bit` of `for (int bit = 1; bit < 4; bit *= 2)`, or 1, 2, 3: lanes of the same four.
bool within_quad(const CppContext& context, Node distance) {
  const auto number = context.folder.value(distance).integer();
  if (distance.is(NodeKind::number_literal)) return number && *number >= 1 && *number <= 3;
  for (Node loop = cpp_loop_around(distance); loop; loop = cpp_loop_around(loop)) {
    const Node condition = loop.child(Field::condition_field), init = loop.child(Field::initializer_field);
    if (!loop.is(NodeKind::for_statement) || !condition.is(NodeKind::binary_expression) ||
        condition.child(Field::left_field).text() != distance.text())
      continue;
    const auto end = context.folder.value(condition.child(Field::right_field)).integer();
    const Node made = init.child(Field::declarator_field);
    const auto begin = context.folder.value(made.child(Field::value_field)).integer();
    const std::string_view op = condition.child(Field::operator_token).text();
    return begin && end && *begin >= 1 && ((op == "<" && *end <= 4) || (op == "<=" && *end <= 3));
  }
  return false;
}

/// Lanes of a quad give each other chosen registers: rows of a small matrix become columns. A reduction
/// gives the same register that it adds to.
void look_at_shuffle(CppContext& context, Node call) {
  if (callee_of(call) != "__shfl_xor_sync" || !cpp_on_device(call)) return;
  const auto arguments = cpp_items(call.child(Field::arguments_field));
  if (arguments.size() < 3 || !arguments[1].is(NodeKind::conditional_expression) ||
      !within_quad(context, arguments[2]))
    return;
  CppDraft& draft = context.add(Family::D4, "quad-exchange", std::string(arguments[1].text().substr(0, 60)),
                                "four lanes exchange chosen registers", call);
  draft.construct = "quad-exchange";
  draft.fact.optional = true;
}
}  // namespace

void extract_cpp_overlap(CppContext& context) {
  look_for_turns(context);
  for (const Node n : context.nodes()) {
    if (n.is(NodeKind::assignment_expression) && cpp_on_device(n)) look_at_addition(context, n);
    if (!n.is(NodeKind::call_expression)) continue;
    if (callee_of(n) == "warpgroup_commit_batch" && cpp_on_device(n)) look_under_products(context, n);
    look_at_shuffle(context, n);
  }
}

}  // namespace cutelab::reading
