#include <fmt/format.h>

#include "reading/facts/context.h"

// How often loops of a kernel run: a count rounded down leaves a tail, a step of several leaves a remainder.

namespace cutelab::reading {
using evidence::Family;
using source::Assignment;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

std::string_view operator_of(Node binary) { return binary.child(Field::operator_token).text(); }

/// `extent // step` inside parentheses or a conversion: Int32(k // 64).
Node floor_division(Node n) {
  while (n.is(NodeKind::parenthesized_expression)) n = n.first();
  if (n.is(NodeKind::call) && n.child(Field::arguments_field).children().all().size() == 1)
    n = n.child(Field::arguments_field).children().all().front();
  return n.is(NodeKind::binary_operator) && operator_of(n) == "//" ? n : Node();
}

/// (k + tile - 1) // tile, (k + 63) // 64: rounds up.
bool rounds_up(FactContext& context, Node division) {
  const Node step = division.child(Field::right_field);
  Node left = division.child(Field::left_field);
  while (left.is(NodeKind::parenthesized_expression)) left = left.first();
  if (!left.is(NodeKind::binary_operator) || (operator_of(left) != "+" && operator_of(left) != "-"))
    return false;
  const auto added = context.value(left.child(Field::right_field)).integer(),
             unit = context.value(step).integer();
  return (operator_of(left) == "+" && added && unit && *added == *unit - 1) ||
         left.text().find(step.text()) != std::string_view::npos;
}

/// Whether the file asks for the remainder of that division: a tail of its own, or a problem refused. By the
/// name of what is divided where the step is a plain number.
bool asks_remainder(const FactContext& context, Node division) {
  const Node extent = division.child(Field::left_field), step = division.child(Field::right_field);
  for (const Node n : context.module().tree().all(NodeKind::binary_operator)) {
    if (operator_of(n) == "%" && n.child(Field::right_field).text() == step.text() &&
        (!step.is(NodeKind::integer) || n.child(Field::left_field).text() == extent.text()))
      return true;
  }
  return false;
}

/// The arguments of range(…), cutlass.range(…), range_constexpr(…) without keywords; empty: no such call.
std::vector<Node> range_arguments(Node iterable) {
  std::vector<Node> out;
  if (!iterable.is(NodeKind::call) ||
      !leaf_name(iterable.child(Field::function_field).text()).starts_with("range"))
    return out;
  for (const Node a : iterable.child(Field::arguments_field).children())
    if (!a.is(NodeKind::keyword_argument)) out.push_back(a);
  return out;
}

/// What the end of a range stands for: itself, or what its name was bound to.
Node count_of(const FactContext& context, Node stop) {
  const Node value = stop.is(NodeKind::identifier) ? bound_before(context, stop) : stop;
  return value ? floor_division(value) : Node();
}

void add_rounded_count(FactContext& context, const Assignment& loop, Node division) {
  Draft& draft = context.add(Family::B1, "trip-count", loop.name,
                             "runs " + std::string(division.text()) + " times", loop.statement);
  draft.construct = "trip-count";
  draft.fact.optional = true;
  auto& values = draft.fact.values;
  values["extent"] = context.value(division.child(Field::left_field));
  values["step"] = context.value(division.child(Field::right_field));
  const auto extent = values["extent"].integer(), step = values["step"].integer();
  const bool whole = extent && step && *step > 0 && *extent % *step == 0;
  values["remainder_handled"] = evidence::literal(!whole && asks_remainder(context, division));
}

/// Whether the body tests what it does against the end: `if k + s < tiles:`.
bool guarded(Node body, std::string_view stop) {
  for (std::uint32_t i = body.index(); body && i < body.end_index(); ++i) {
    const Node n = body.tree()->at(i);
    if (n.is(NodeKind::if_statement) &&
        n.child(Field::condition_field).text().find(stop) != std::string_view::npos)
      return true;
  }
  return false;
}

/// for k in range(0, tiles, stages): … for s in range(stages): the last round does all stages.
void add_stepped(FactContext& context, const Assignment& loop, const std::vector<Node>& range) {
  const Node body = loop.statement.child(Field::body_field), step = range[2];
  bool inner = false;
  for (const Assignment& other : context.module().assignments()) {
    if (other.form != Assignment::Form::loop || !body.contains(other.statement)) continue;
    const std::vector<Node> each = range_arguments(other.value);
    inner = inner || (each.size() == 1 && each[0].text() == step.text());
  }
  if (!inner) return;
  Draft& draft =
      context.add(Family::B1, "stepped-loop", loop.name,
                  "each round does " + std::string(step.text().substr(0, 60)) + " steps", loop.statement);
  draft.construct = "stepped-loop";
  draft.fact.optional = true;
  auto& values = draft.fact.values;
  values["begin"] = context.value(range[0]);
  values["end"] = context.value(range[1]);
  values["step"] = context.value(step);
  values["guarded"] = evidence::literal(guarded(body, range[1].text()));
}
}  // namespace

void extract_trip_counts(FactContext& context) {
  for (const Assignment& loop : context.module().assignments()) {
    if (loop.form != Assignment::Form::loop || !loop.statement.is(NodeKind::for_statement)) continue;
    const std::vector<Node> range = range_arguments(loop.value);
    if (range.empty() || range.size() > 3 || !runs_on_device(context, loop.statement)) continue;
    if (range.size() == 3) {
      add_stepped(context, loop, range);
    } else if (const Node division = count_of(context, range.back());
               division && !rounds_up(context, division)) {
      add_rounded_count(context, loop, division);
    }
  }
}

}  // namespace cutelab::reading
