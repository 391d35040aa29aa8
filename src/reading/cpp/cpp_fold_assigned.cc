#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_folder.h"

/// What assignments and steps make of a value: of a variable, of a member, of one extent of a grid.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
CppValue not_followed_change(Node at) {
  return CppValue::unknown("is changed later", std::string(at.text().substr(0, 60)), at);
}
}  // namespace

/// What `= right` leaves in a variable or a member that has held `value`.
CppValue CppFolder::assigned(const CppValue& value, Node right, Node type, Frames frame) {
  const bool extents = type.text() == "dim3" || (value.is(CppKind::tuple) && value.tuple.rank() == 3);
  if (right.is(NodeKind::initializer_list)) {
    if (extents) return library_call("dim3", right, values_of(right, frame), {}, frame);
    if (value.is(CppKind::structure)) {
      const CppValue plain = evaluate(type, frame);
      if (plain.is(CppKind::structure)) return object(plain, right, frame);
    }
    const auto items = cpp_items(right);
    return items.size() == 1
               ? evaluate(items[0], frame)
               : CppValue::unknown("is changed later", std::string(right.text().substr(0, 60)), right);
  }
  CppValue out = as_type(evaluate(right, frame), type, frame);
  return extents ? cpp_as_dim3(std::move(out)) : out;
}

/// A value with one change made to the member that `step` of its path names.
CppValue CppFolder::applied_to_member(CppValue value, const Change& change, std::size_t step, Node type,
                                      Frames frame) {
  const std::string_view name = change.path[step];
  const bool extent = name.size() == 1 && name[0] >= 'x' && name[0] <= 'z';
  if (extent && (type.text() == "dim3" || (value.is(CppKind::tuple) && value.tuple.rank() == 3))) {
    value = cpp_as_dim3(std::move(value));
    if (!value.is(CppKind::tuple)) return value;
    const CppValue made =
        applied(CppValue::of(value.tuple.mode(name[0] - 'x')), change, step + 1, Node(), frame);
    if (!made.integer()) return made.known() ? not_followed_change(change.at) : made;
    std::vector<layout::IntTuple> extents;
    for (char c = 'x'; c <= 'z'; ++c)
      extents.emplace_back(c == name[0] ? *made.integer() : value.tuple.mode(c - 'x').leaf().value());
    return CppValue::of(layout::IntTuple::tuple(extents));
  }
  if (!value.is(CppKind::structure)) return value.known() ? not_followed_change(change.at) : value;
  for (auto& [field, held] : value.fields)
    if (field == name) {
      held = applied(std::move(held), change, step + 1, Node(), frame);
      return value;
    }
  CppValue unset = CppValue::unknown("is not set", std::string(name));
  value.fields.emplace_back(std::string(name), applied(std::move(unset), change, step + 1, Node(), frame));
  return value;
}

/// A value with one change made, at the member that `step` has come to.
CppValue CppFolder::applied(CppValue value, const Change& change, std::size_t step, Node type, Frames frame) {
  if (step < change.path.size()) return applied_to_member(std::move(value), change, step, type, frame);
  if (!change.told) return not_followed_change(change.at);
  if (!change.at.is(NodeKind::assignment_expression)) {
    if (!value.integer()) return value.known() ? not_followed_change(change.at) : value;
    const std::string op(change.at.text().find("++") != std::string_view::npos ? "+" : "-");
    return as_type(cpp_arithmetic(op, value, CppValue::of(1)), type, frame);
  }
  std::string_view op = change.at.child(Field::operator_token).text();
  const Node right = change.at.child(Field::right_field);
  if (op == "=") return assigned(value, right, type, frame);
  op.remove_suffix(1);
  const CppValue by = evaluate(right, frame);
  if (!value.integer() || !by.integer())
    return !value.known() ? value : !by.known() ? by : not_followed_change(change.at);
  return as_type(cpp_arithmetic(op, value, by), type, frame);
}

}  // namespace cutelab::reading
