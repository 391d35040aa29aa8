#include <algorithm>
#include <cmath>
#include <numeric>

#include "reading/models/python_models.h"

// Parts of Python's library: math, functools, operator, itertools, dataclasses, enum, copy, typing.
namespace cutelab::reading::machine::python_models {

Answer reduce(Call& c) {
  const auto items = c.count() > 1 ? c.machine.items_in_order(c.arguments[1]) : std::nullopt;
  if (!items) return std::nullopt;
  Value total = c.count() > 2 ? c.arguments[2] : Value();
  for (const Value& v : *items) {
    total = total.bound() ? c.machine.call(c.arguments[0], {total, v}, {}, c.node, c.module) : v;
    if (c.machine.raising()) return Value();
  }
  if (total.bound()) return total;
  return c.machine.raise_error("TypeError", "reduce() of nothing with no initial value", c.node, c.module);
}

/// functools.partial: a record that calls its function with the arguments it keeps.
Answer partial(Call& c) {
  if (!c.count()) return std::nullopt;
  Record* out = c.machine.record("partial", "functools.partial", &c);
  c.machine.set_field(out, "function", c.arguments[0]);
  c.machine.set_field(out, "arguments", c.machine.tuple({c.arguments.begin() + 1, c.arguments.end()}));
  Dict* named = c.machine.make<Dict>();
  for (const auto& [name, value] : c.keywords)
    named->items.emplace_back(c.machine.text(c.machine.name_of(name)), value);
  c.machine.set_field(out, "keywords", named);
  return Value(out);
}

std::optional<Value> partial_function(Machine& m, const Value& self) {
  return m.field(self.as<Record>(), "function");
}
std::optional<Value> partial_arguments(Machine& m, const Value& self) {
  return m.field(self.as<Record>(), "arguments");
}

Answer call_partial(Call& c) {
  Record* r = c.self.as<Record>();
  std::vector<Value> arguments = c.machine.field(r, "arguments").as<Tuple>()->items;
  arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
  auto keywords = c.keywords;
  for (const auto& [name, value] : c.machine.field(r, "keywords").as<Dict>()->items) {
    const Symbol key = c.machine.symbol(name.as<Text>()->text);
    if (std::none_of(keywords.begin(), keywords.end(), [&](const auto& k) { return k.first == key; }))
      keywords.emplace_back(key, value);
  }
  return c.machine.call(c.machine.field(r, "function"), std::move(arguments), std::move(keywords), c.node,
                        c.module, c.complete);
}

Answer dataclass_field(Call& c) {
  Record* out = c.machine.record("dataclass-field", "dataclasses.field", &c);
  for (const auto& [name, value] : c.keywords) c.machine.set(out->fields, name, value);
  return Value(out);
}

Answer replace(Call& c) {
  const Instance* i = c.count() ? c.arguments[0].as<Instance>() : nullptr;
  if (!i) return std::nullopt;
  Machine& m = c.machine;
  auto fields = c.keywords;
  for (const Symbol name : m.fields_of(i->klass)) {
    const auto given = [&](const auto& field) { return field.first == name; };
    const Record* declared = m.attribute(i->klass, m.name_of(name)).as<Record>();
    const Value init = declared ? m.field(declared, "init") : Value();
    if (std::any_of(fields.begin(), fields.end(), given) ||
        (init.bound() && m.truth(init) == Machine::Truth::no))
      continue;
    const Value* held = i->attributes.find(name);
    if (!held) return std::nullopt;
    fields.emplace_back(name, *held);
  }
  return m.call(i->klass, {}, std::move(fields), c.node, c.module, c.complete);
}

Answer enum_auto(Call& c) { return c.machine.unknown("numbered by its enumeration", "auto", "enum.auto"); }

/// property(read, write, remove)
Answer make_property(Call& c) {
  const Function* read = c.get(0, "fget", Value::none()).as<Function>();
  if (!read) return std::nullopt;
  Function* out = c.machine.make<Function>(*read);
  out->is_property = true;
  out->setter = c.get(1, "fset", Value::none()).as<Function>();
  out->deleter = c.get(2, "fdel", Value::none()).as<Function>();
  return Value(out);
}

template <bool of_class>
Answer make_method(Call& c) {
  const Function* f = c.count() == 1 ? c.arguments[0].as<Function>() : nullptr;
  if (!f) return std::nullopt;
  Function* out = c.machine.make<Function>(*f);
  (of_class ? out->is_class_method : out->is_static) = true;
  return Value(out);
}

void add_library(Natives& n) {
  n.function("math", "pi.__get__", [](Call&) -> Answer { return Value::real(M_PI); });
  n.function("math", "e.__get__", [](Call&) -> Answer { return Value::real(M_E); });
  n.function("math", "inf.__get__", [](Call&) -> Answer { return Value::real(INFINITY); });
  n.function("functools", "reduce", reduce);
  n.function("functools", "partial", partial);
  n.method("partial", "__call__", call_partial);
  n.getter("partial", "func", partial_function);
  n.getter("partial", "args", partial_arguments);
  n.function("dataclasses", "field", dataclass_field);
  n.function("dataclasses", "replace", replace);
  n.function("enum", "auto", enum_auto);
  n.function("builtins", "property", make_property);
  n.function("builtins", "staticmethod", make_method<false>);
  n.function("builtins", "classmethod", make_method<true>);
  n.function("typing", "cast",
             [](Call& c) -> Answer { return c.count() > 1 ? Answer(c.arguments[1]) : std::nullopt; });
  n.function("typing", "TypeVar", answer_nothing);
  n.function("cutlass", "min", smallest);
  n.function("cutlass", "max", largest);
}

}  // namespace cutelab::reading::machine::python_models
