#include "reading/machine/named_tuples.h"

#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {
using source::Node;

const Class* owner_of_fields(const Class& klass) {
  const Class* out = &klass;
  for (const Class* c : klass.line)
    if (c->is_named_tuple) out = c;
  return out;
}

namespace {
/// A method that changes what its objects are to Python's operators.
bool has_special_methods(Machine& m, const Class& klass) {
  for (const Class* c : klass.line)
    for (const auto& [name, value] : c->attributes.items()) {
      const std::string& plain = m.name_of(name);
      if (value.as<Function>() && plain.starts_with("__") && plain.ends_with("__") && plain != "__str__" &&
          plain != "__repr__")
        return true;
    }
  return false;
}
}  // namespace

Value make_named_tuple(const Call& c, Class* klass) {
  Machine& m = c.machine;
  if (has_special_methods(m, *klass))
    return m.unknown("a named tuple with special methods of its own", klass->name);
  const Class* owner = owner_of_fields(*klass);
  Tuple* made = m.make<Tuple>(std::vector<Value>{});
  made->of = klass;
  const bool checked = c.complete && c.node && klass->module < Library::first && !m.current_launch();
  std::size_t next = 0, named = 0;
  for (const auto& [name, type] : owner->annotations) {
    Value value;
    if (next < c.count()) value = c.arguments[next++];
    for (const auto& [key, given] : c.keywords) {
      if (key != name) continue;
      named += value.bound() ? 0 : 1;
      value = given;
    }
    if (!value.bound() && c.complete)
      if (const Value* otherwise = owner->attributes.find(name)) value = *otherwise;
    if (!value.bound() && checked)
      return m.raise_error("TypeError", klass->name + "() is not given '" + m.name_of(name) + "'", c.node,
                           c.module);
    made->items.push_back(value.bound() ? value
                                        : m.unknown("an argument that is not given", m.name_of(name)));
    made->names.push_back(name);
  }
  if (checked && (next != c.count() || named != c.keywords.size()))
    return m.raise_error("TypeError", klass->name + "() is given other than its fields", c.node, c.module);
  return made;
}

/// Unbound: not told here.
Value Machine::Interpreter::attribute_of_tuple(Tuple* tuple, Symbol name, Node at, int module) {
  const auto field = [&]() -> Value {
    for (std::size_t i = 0; i < tuple->names.size() && i < tuple->items.size(); ++i)
      if (tuple->names[i] == name) return tuple->items[i];
    return {};
  };
  if (!tuple->of) return field();
  const auto& line = line_of(tuple->of);
  const Class* owner = owner_of_fields(*tuple->of);
  for (const Class* c : line) {
    if (const Value held = c == owner ? field() : Value(); held.bound()) return held;
    if (const Value* found = c->attributes.find(name))
      return bind_method(*found, tuple, tuple->of, at, module);
  }
  const std::string& plain = m.name_of(name);
  if (plain == "__class__") return tuple->of;
  return plain == "_fields" ? attribute_of_class(tuple->of, name, at, module) : Value();
}

Value fields_of_named(Machine& m, const Class& klass, bool names) {
  const Class* owner = owner_of_fields(klass);
  std::vector<Value> all;
  Dict* defaults = m.make<Dict>();
  for (const auto& [name, type] : owner->annotations) {
    all.push_back(m.text(m.name_of(name)));
    if (const Value* held = owner->attributes.find(name)) defaults->items.emplace_back(all.back(), *held);
  }
  return names ? m.tuple(std::move(all)) : Value(defaults);
}

std::optional<std::string> Machine::repr_of_named(const Tuple& tuple, int depth) {
  for (const char* own : {"__repr__", "__str__"})
    if (interpreter_->class_attribute(tuple.of, symbol(own)).bound()) return std::nullopt;
  std::string out = tuple.of->name + "(";
  for (std::size_t i = 0; i < tuple.items.size(); ++i) {
    const auto one = exact_repr(tuple.items[i], depth + 1);
    if (!one) return std::nullopt;
    out += (i ? ", " : "") + name_of(tuple.names[i]) + "=" + *one;
  }
  return out + ")";
}

}  // namespace cutelab::reading::machine
