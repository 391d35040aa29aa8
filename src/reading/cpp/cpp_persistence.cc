#include <string>
#include <vector>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// Persistent loops of hand-written schedulers: from the CTA's own tile in steps of the grid.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int most_speaking_calls = 2;  ///< functions within each other

bool has_word(Node n, std::string_view word) { return n && n.text().find(word) != std::string_view::npos; }

/// Whether an expression, or a small function that it calls, speaks of a word: blockIdx in
/// schedule.first().
bool speaks_of(const CppContext& context, Node n, std::string_view word, int depth = 0) {
  if (has_word(n, word)) return true;
  for (std::uint32_t i = n.index(); n && i < n.end_index(); ++i) {
    const Node call = n.tree()->at(i);
    if (!call.is(NodeKind::call_expression)) continue;
    const Node body = context.folder.function_named(leaf_name(call.child(Field::function_field)));
    if (body && body.text().size() < 600 && depth < most_speaking_calls && !body.contains(n) &&
        speaks_of(context, body.child(Field::body_field), word, depth + 1))
      return true;
  }
  return false;
}

/// What a product multiplies a word's part by: "2" of `2 * schedule.step()`; "" = nothing.
std::string_view times_of_step(const CppContext& context, Node n, std::string_view word) {
  for (std::uint32_t i = n.index(); n && i < n.end_index(); ++i) {
    const Node product = n.tree()->at(i);
    if (!product.is(NodeKind::binary_expression) || product.child(Field::operator_token).text() != "*")
      continue;
    const Node left = product.child(Field::left_field), right = product.child(Field::right_field);
    if (speaks_of(context, left, word)) return right.text();
    if (speaks_of(context, right, word)) return left.text();
  }
  return {};
}

/// Where the variable that a loop steps forward got its first value: `int block = blockIdx.x;` before the
/// loop.
Node start_of_step(Node step) {
  std::string_view name;
  for (std::uint32_t i = step.index(); i < step.end_index() && name.empty(); ++i)
    if (const Node n = step.tree()->at(i); n.is(NodeKind::assignment_expression) && has_word(n, "gridDim"))
      name = n.child(Field::left_field).text();
  const Node function = step.enclosing(NodeKind::function_definition);
  for (std::uint32_t i = function.index(); !name.empty() && function && i < step.index(); ++i) {
    const Node n = function.tree()->at(i);
    if (n.is(NodeKind::init_declarator) && n.child(Field::declarator_field).text() == name)
      return n.child(Field::value_field);
  }
  return {};
}

/// `fixed += step;` of a method: what it hands out next is a step further on.
Node step_of(Node method) {
  for (std::uint32_t i = method.index(); method && i < method.end_index(); ++i) {
    const Node n = method.tree()->at(i);
    if (n.is(NodeKind::assignment_expression) && n.child(Field::operator_token).text() == "+=" &&
        n.child(Field::left_field).is(NodeKind::identifier) &&
        n.child(Field::right_field).is(NodeKind::identifier))
      return n;
  }
  return {};
}

/// The call of a method that gives a variable its next value: `feed.next(true)` of `item = feed.next(true)`.
Node call_for(Node within, std::string_view variable) {
  Node out;
  for (std::uint32_t i = within.index(); within && i < within.end_index(); ++i) {
    const Node n = within.tree()->at(i);
    if (!n.is(NodeKind::assignment_expression) || n.child(Field::left_field).text() != variable) continue;
    Node right = n.child(Field::right_field);
    if (right.is(NodeKind::conditional_expression)) right = right.child(Field::alternative_field);
    if (right.is(NodeKind::call_expression) &&
        right.child(Field::function_field).is(NodeKind::field_expression))
      out = right;
  }
  return out;
}

/// `for (; item < count; item = feed.next())`, where next() steps on and `feed` starts at the CTA's number in
/// steps of the grid.
void look_at_stepped_loop(CppContext& context, Node loop) {
  Node condition = loop.child(Field::condition_field);
  while (condition && !condition.is(NodeKind::binary_expression)) {
    const auto parts = cpp_items(condition);
    condition = parts.empty() ? Node() : parts[0];
  }
  if (!condition || condition.child(Field::operator_token).text() != "<") return;
  const Node call = call_for(loop, condition.child(Field::left_field).text());
  const Node callee = call.child(Field::function_field);
  const Node step = call ? step_of(context.folder.function_named(leaf_name(callee))) : Node();
  if (!step) return;
  const Node made = context.folder.definition_of(callee.child(Field::argument_field));
  const Node start = made.is(NodeKind::init_declarator) ? made.child(Field::value_field) : Node();
  if (!speaks_of(context, start, "blockIdx") || !speaks_of(context, start, "gridDim")) return;
  CppDraft& draft = context.add(Family::S1, "persistent-loop", std::string(call.text().substr(0, 60)),
                                cpp_steps_of_grid, loop);
  draft.construct = "persistent-loop";
  draft.decides = step;
}
}  // namespace

void extract_cpp_persistence(CppContext& context) {
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::for_statement)) continue;
    Node init = n.child(Field::initializer_field), step = n.child(Field::update_field);
    if (!step) continue;
    if (const Node before = start_of_step(step); before && !speaks_of(context, init, "blockIdx"))
      init = before;
    if (!init) continue;
    const bool own_tile =
        speaks_of(context, init, "blockIdx") && !has_word(init, "threadIdx") && !has_word(init, "blockDim");
    if (!own_tile || !speaks_of(context, step, "gridDim")) continue;
    // `row = blockIdx.x * rows; row += gridDim.x * rows` counts rows, a grid's width of tiles apart.
    const std::string_view times = times_of_step(context, step, "gridDim");
    const bool width = times.empty() || times == times_of_step(context, init, "blockIdx");
    CppDraft& draft = context.add(Family::S1, "persistent-loop", std::string(init.text().substr(0, 60)),
                                  width ? std::string(cpp_steps_of_grid)
                                        : "loop over tiles: from a start by the CTA's number, in steps of " +
                                              std::string(times.substr(0, 40)) + " times the grid",
                                  n);
    draft.construct = "persistent-loop";
  }
}

void extract_cpp_steps(CppContext& context) {
  for (const Node n : context.nodes())
    if ((n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement)) && cpp_on_device(n))
      look_at_stepped_loop(context, n);
}

void tell_cpp_reach(CppContext& context) {
  for (CppDraft& draft : context.drafts) {
    CppValue told = context.folder.reach(draft.node);
    if (draft.decides && told.integer() != 0)
      if (CppValue also = context.folder.reach(draft.decides); also.integer() != 1) told = std::move(also);
    if (told.integer() == 1) continue;
    if (told.known()) {
      draft.active = evidence::Tristate::no;
      draft.fact.values["active"] = evidence::literal(false);
      continue;
    }
    draft.active = evidence::Tristate::undetermined;
    draft.condition = join(told.depends_on, ", ");
    draft.fact.values["active"] =
        evidence::undetermined("compiled or not by a macro of the build", told.depends_on,
                               context.at(told.node ? told.node : draft.node), "");
  }
}

}  // namespace cutelab::reading
