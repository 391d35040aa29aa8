#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// What a program asks of its own functions and classes: inspect.signature, dataclasses.make_dataclass …
namespace cutelab::reading::machine::python_models {

constexpr const char* positional_or_keyword = "inspect.Parameter.POSITIONAL_OR_KEYWORD";

/// Record "Parameter": name, kind, default.
Value parameter_record(Machine& m, const Value& name, const Value& kind, const Value& otherwise) {
  Record* out = m.record("Parameter", "inspect.Parameter");
  m.set_field(out, "name", name);
  m.set_field(out, "kind", kind);
  m.set_field(out, "default", otherwise.bound() ? otherwise : m.external("inspect.Parameter.empty"));
  return out;
}

/// Record "Signature": parameters, a dict of Records "Parameter" by their names.
Value signature_record(Machine& m, const std::vector<Value>& parameters) {
  Dict* by_name = m.make<Dict>();
  for (const Value& p : parameters)
    if (const Record* parameter = record_if(p, "Parameter"))
      by_name->items.emplace_back(m.field(parameter, "name"), p);
  Record* out = m.record("Signature", "inspect.Signature");
  m.set_field(out, "parameters", by_name);
  return out;
}

/// inspect.signature(function): the parameters of its `def`, a bound method's without the first.
Answer signature(Call& c) {
  Machine& m = c.machine;
  const Value given = c.get(0, "obj");
  const Method* method = given.as<Method>();
  const Function* f = method ? method->function.as<Function>() : given.as<Function>();
  if (!f) return std::nullopt;
  if (const Value* own = f->attributes.find(m.symbol("__signature__"))) return *own;
  if (f->index < 0 || f->module >= m.program().size()) return std::nullopt;
  const auto& written =
      m.program().module(f->module).functions()[static_cast<std::size_t>(f->index)].parameters;
  std::vector<Value> parameters;
  for (std::size_t i = method ? 1 : 0; i < written.size(); ++i) {
    using Form = source::Parameter::Form;
    const char* kind = written[i].form == Form::star          ? "inspect.Parameter.VAR_POSITIONAL"
                       : written[i].form == Form::double_star ? "inspect.Parameter.VAR_KEYWORD"
                                                              : positional_or_keyword;
    parameters.push_back(parameter_record(m, m.text(written[i].name), m.external(kind),
                                          i < f->defaults.size() ? f->defaults[i] : Value()));
  }
  return signature_record(m, parameters);
}

Answer make_parameter(Call& c) {
  return parameter_record(c.machine, c.get(0, "name"), c.get(1, "kind"), c.get(-1, "default"));
}

Answer make_signature(Call& c) {
  const auto parameters = c.machine.items(c.get(0, "parameters", c.machine.list({})));
  return parameters ? Answer(signature_record(c.machine, *parameters)) : std::nullopt;
}

/// signature.bind(…): Record "BoundArguments": arguments, a dict by parameter; signature.
Answer bind_arguments(Call& c) {
  Machine& m = c.machine;
  const Dict* parameters = m.field(c.self.as<Record>(), "parameters").as<Dict>();
  if (!parameters || !c.complete) return std::nullopt;
  Dict* bound = m.make<Dict>();
  std::size_t next = 0;
  for (const auto& [name, parameter] : parameters->items) {
    const auto* kind = m.field(record_if(parameter, "Parameter"), "kind").as<External>();
    if (!kind || kind->path != positional_or_keyword) return std::nullopt;
    Value value;
    for (const auto& [key, given] : c.keywords)
      if (m.name_of(key) == name.as<Text>()->text) value = given;
    if (!value.bound() && next < c.arguments.size()) value = c.arguments[next++];
    if (value.bound()) bound->items.emplace_back(name, value);
  }
  return record_of(c, "BoundArguments", {{"arguments", bound}, {"signature", c.self}});
}

Answer apply_defaults(Call& c) {
  Machine& m = c.machine;
  Dict* bound = m.field(c.self.as<Record>(), "arguments").as<Dict>();
  const Record* of = record_if(m.field(c.self.as<Record>(), "signature"), "Signature");
  const Dict* parameters = of ? m.field(of, "parameters").as<Dict>() : nullptr;
  if (!bound || !parameters) return std::nullopt;
  for (const auto& [name, parameter] : parameters->items) {
    const Value otherwise = m.field(record_if(parameter, "Parameter"), "default");
    const auto* empty = otherwise.as<External>();
    bool given = empty && empty->path == "inspect.Parameter.empty";
    for (const auto& [key, value] : bound->items) given = given || m.equal(key, name) == Machine::Truth::yes;
    if (!given) m.mutable_items(bound).emplace_back(name, otherwise);
  }
  return Value::none();
}

/// dataclasses.make_dataclass(name, fields): fields as "name", (name, type) or (name, type, field(…)).
Answer make_dataclass(Call& c) {
  Machine& m = c.machine;
  const auto fields = m.items(c.get(1, "fields"));
  if (!fields || c.get(-1, "bases").bound()) return std::nullopt;
  Class* klass = m.make<Class>();
  klass->is_dataclass = klass->has_fields = true;
  klass->module = c.module;
  klass->name = m.str(c.get(0, "cls_name"));
  klass->path = klass->name;
  klass->fields_by_name = m.truth(c.get(-1, "kw_only", Value::boolean(false))) == Machine::Truth::yes;
  for (const Value& field : *fields) {
    const Value first = field.as<Text>() ? field : m.subscript(field, Value::integer(0), c.node);
    if (!first.as<Text>()) return std::nullopt;
    const Symbol name = m.symbol(first.as<Text>()->text);
    klass->annotations.emplace_back(name, source::Node());
    const auto parts = field.as<Text>() ? std::nullopt : m.items(field);
    if (parts && parts->size() > 2) klass->attributes.at(name) = (*parts)[2];
  }
  if (const Dict* members = c.get(-1, "namespace").as<Dict>())
    for (const auto& [name, value] : members->items)
      if (const Text* text = name.as<Text>()) klass->attributes.at(m.symbol(text->text)) = value;
  return Value(klass);
}

/// dataclasses.fields(class or object): Records "Field": name.
Answer fields_of(Call& c) {
  Machine& m = c.machine;
  const Value given = c.get(0, "class_or_instance");
  Class* klass = given.as<Instance>() ? given.as<Instance>()->klass : given.as<Class>();
  std::vector<Value> out;
  if (!klass || (klass->line.empty() ? !klass->has_fields : !klass->is_dataclass)) return std::nullopt;
  for (const Symbol name : m.fields_of(klass)) {
    Record* field = m.record("Field", "dataclasses.Field", &c);
    m.set_field(field, "name", m.text(m.name_of(name)));
    out.push_back(field);
  }
  return m.tuple(std::move(out));
}

/// types.MethodType(function, object): the function bound to it.
Answer method_type(Call& c) {
  if (c.count() != 2 || !c.arguments[0].as<Function>()) return std::nullopt;
  Method* method = c.machine.make<Method>();
  method->function = c.arguments[0];
  method->self = c.arguments[1];
  return Value(method);
}

/// globals(): Record "globals", the names of the module that the call stands in, as a dictionary.
Answer globals(Call& c) {
  Record* out = c.machine.record("globals", "builtins.globals", &c);
  c.machine.set_field(out, "module", Value(c.machine.module_at(c.module)));
  return Value(out);
}

Answer globals_of_module(Call& c) {
  for (source::Node n = c.node; n; n = n.parent())
    if (n.is(source::Kind::function_definition) || n.is(source::Kind::class_definition) ||
        n.is(source::Kind::lambda))
      return std::nullopt;
  return globals(c);
}

Slots* names_behind(Call& c) {
  const Record* self = c.self.as<Record>();
  Module* module = self ? c.machine.field(self, "module").as<Module>() : nullptr;
  return module ? &module->scope->names : nullptr;
}

const Value* global_named(Call& c) {
  const Text* name = c.count() ? c.arguments[0].as<Text>() : nullptr;
  Slots* names = name ? names_behind(c) : nullptr;
  const Value* found = names ? names->find(c.machine.symbol(name->text)) : nullptr;
  return found && found->bound() ? found : nullptr;
}

/// globals()["name"], globals().get("name"): what a library module makes when asked is not told here.
Answer global_item(Call& c) {
  const Value* found = global_named(c);
  return found ? Answer(*found) : std::nullopt;
}

Answer set_global(Call& c) {
  const Text* name = c.count() == 2 ? c.arguments[0].as<Text>() : nullptr;
  if (Slots* names = name ? names_behind(c) : nullptr)
    c.machine.set(*names, c.machine.symbol(name->text), c.arguments[1]);
  if (!name) c.machine.lose_globals(c.module, nullptr);
  return Value::none();
}

/// globals().setdefault(name, value)
Answer default_global(Call& c) {
  if (const Value* found = global_named(c)) return *found;
  if (c.count() < 2 || !c.arguments[0].as<Text>()) return std::nullopt;
  set_global(c);
  return c.arguments[1];
}

/// globals().pop(name), del globals()[name]
Answer remove_global(Call& c) {
  const Value* found = global_named(c);
  if (!found) return std::nullopt;
  const Value out = *found;
  c.machine.set(*names_behind(c), c.machine.symbol(c.arguments[0].as<Text>()->text), Value());
  return out;
}

Answer update_globals(Call& c) {
  Slots* names = names_behind(c);
  const Dict* given = c.count() ? c.arguments[0].as<Dict>() : nullptr;
  if (!names || !c.complete || (c.count() && (!given || given->open))) {
    c.machine.lose_globals(c.module, nullptr);
    return std::nullopt;
  }
  if (given)
    for (const auto& [key, value] : given->items)
      if (const Text* name = key.as<Text>()) c.machine.set(*names, c.machine.symbol(name->text), value);
  for (const auto& [name, value] : c.keywords) c.machine.set(*names, name, value);
  return Value::none();
}

void add_introspection(Natives& n) {
  n.function("builtins", "globals", globals);
  n.method("globals", "__getitem__", global_item);
  n.method("globals", "get", global_item);
  n.method("globals", "__setitem__", set_global);
  n.method("globals", "update", update_globals);
  n.method("globals", "setdefault", default_global);
  for (const char* name : {"pop", "__delitem__"}) n.method("globals", name, remove_global);
  n.function("builtins", "locals", globals_of_module);
  n.function("inspect", "signature", signature);
  n.function("inspect", "Parameter", make_parameter);
  n.function("inspect", "Signature", make_signature);
  n.method("Signature", "bind", bind_arguments);
  n.method("BoundArguments", "apply_defaults", apply_defaults);
  n.function("dataclasses", "make_dataclass", make_dataclass);
  n.function("dataclasses", "fields", fields_of);
  n.function("types", "MethodType", method_type);
}

}  // namespace cutelab::reading::machine::python_models
