#include <algorithm>

#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

Value Machine::Interpreter::index_value(Node n, Scope* s) {
  std::vector<Value> parts;
  bool several = false;
  for (Node c = n.first(); c; c = c.next()) {
    if (c.is(NodeKind::comment) || c.field() == Field::value_field) continue;
    several = several || !parts.empty();
    if (c.is(NodeKind::list_splat)) {
      several = true;
      if (!spread(c, s, parts))
        return m.raising_ ? Value() : unknown_at("unpacks a value that is not known", c);
      continue;
    }
    if (!c.is(NodeKind::slice)) {
      parts.push_back(expression(c, s));
      if (m.raising_) return {};
      continue;
    }
    // The parts of a slice are told apart by the colons between them.
    Slice* slice = m.make<Slice>();
    Value* places[] = {&slice->begin, &slice->end, &slice->step};
    const std::string_view text = c.text();
    const std::uint32_t begin = c.first_byte();
    for (const Node part : c.children()) {
      int colons = 0, depth = 0;
      for (std::uint32_t i = 0; i < part.first_byte() - begin; ++i) {
        if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
        if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
        if (text[i] == ':' && depth == 0) ++colons;
      }
      *places[std::min(colons, 2)] = expression(part, s);
      if (m.raising_) return {};
    }
    parts.emplace_back(slice);
  }
  if (parts.size() == 1 && !several) return parts.front();
  return m.tuple(std::move(parts));
}

Value Machine::Interpreter::subscript_node(Node n, Scope* s) {
  const Value object = expression(n.child(Field::value_field), s);
  if (m.raising_) return {};
  const Value index = index_value(n, s);
  return m.raising_ ? Value() : subscript(object, index, n);
}

/// An annotation `name[a, b]`, which the grammar reads as a type with type parameters.
Value Machine::Interpreter::generic_type(Node n, Scope* s) {
  const auto parts = n.children().all();
  if (parts.empty()) return {};
  const Value object = expression(parts.front(), s);
  if (m.raising_) return {};
  std::vector<Value> arguments;
  for (std::size_t i = 1; i < parts.size(); ++i)
    for (const Node inner : parts[i].children()) {
      arguments.push_back(expression(inner, s));
      if (m.raising_) return {};
    }
  return subscript(object, arguments.size() == 1 ? arguments.front() : m.tuple(arguments), n);
}

}  // namespace cutelab::reading::machine
