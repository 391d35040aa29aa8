#include <algorithm>

#include "reading/machine/interpreter.h"
#include "reading/machine/named_tuples.h"

namespace cutelab::reading::machine {
using source::Node;

bool Machine::Interpreter::derives_from(Class* klass, std::string_view leaf, int depth) {
  if (klass->name == leaf || depth > 16) return klass->name == leaf;
  return std::any_of(klass->bases.begin(), klass->bases.end(), [&](const Value& base) {
    if (Class* c = base.as<Class>()) return derives_from(c, leaf, depth + 1);
    const External* e = base.as<External>();
    return e && e->leaf() == leaf;
  });
}

Value Machine::Interpreter::bind_method(const Value& found, const Value& self, Class* klass, Node at,
                                        int module) {
  Function* f = found.as<Function>();
  if (!f) return found;
  if (f->is_static) return found;
  if (f->is_property) {
    const Value made = call_function(f, &self, {}, {}, at, module);
    if (Instance* holder = f->keeps_value && !m.raising_ ? self.as<Instance>() : nullptr)
      if (const Symbol name = symbol_of(f->node.child(source::Field::name_field), f->module); made.bound())
        m.set(holder->attributes, name, made);
    return made;
  }
  Method* method = m.make<Method>();
  method->self = f->is_class_method ? Value(klass) : self;
  method->function = found;
  return method;
}

namespace {
bool is_setting_name(std::string_view name) {
  return name == "__setattr__" || name == "__getattribute__" || name == "__delattr__";
}
}  // namespace

/// A library's function with its first argument.
Value Machine::Interpreter::bound_first(const Value& function, const Value& self) {
  Record* bound = m.record("partial", "functools.partial");
  m.set_field(bound, "function", function);
  m.set_field(bound, "arguments", m.tuple({self}));
  m.set_field(bound, "keywords", m.make<Dict>());
  return bound;
}

Value Machine::Interpreter::attribute_of_instance(Instance* instance, Symbol name, Node at, int module,
                                                  bool plainly) {
  const auto reading = [](const Class* c) { return c->hooks_reading; };
  if (std::any_of(instance->klass->line.begin(), instance->klass->line.end(), reading))
    if (const auto made = hooked_attribute(instance, name, plainly)) return *made;
  if (const Value* found = instance->attributes.find(name)) return *found;
  const std::string& plain = m.name_of(name);
  if (plain == "__class__") return instance->klass;
  if (const Value found = class_attribute(instance->klass, name); found.bound())
    return bind_method(found, instance, instance->klass, at, module);
  if (plain == "__dict__" && m.is_slotted(instance->klass) && !own_method(instance, "__getattr__"))
    return m.raise_error("AttributeError", "it has no __dict__", at, module);
  if (plain == "__dict__" && !m.is_slotted(instance->klass)) return m.dict_of(instance->attributes);
  if (instance->klass->is_dataclass && plain == "_replace") return m.unknown("not modelled", plain);
  if (const Value made = of_modelled_base(instance, name); made.bound()) return made;
  if (at && at.parent().is(source::Kind::call) && at.field() == source::Field::function_field &&
      instance->klass->module < Library::first && has_unknown_base(instance->klass))
    base_runs(instance);
  for (const Value& base : instance->klass->bases)
    if (const External* e = base.as<External>())
      return m.unknown("an attribute of " + e->path, plain, e->path + "." + plain);
  if (const Value hook = class_attribute(instance->klass, m.symbol("__getattr__")); hook.as<Function>())
    return call_function(hook.as<Function>(), nullptr, {instance, m.text(plain)}, {}, at, module);
  if (is_setting_name(plain)) return bound_first(m.external("builtins.object." + plain), instance);
  return m.unknown("the object has no such attribute so far", "self." + plain);
}

Value Machine::Interpreter::attribute_of_record(Record* record, Symbol symbol) {
  if (const Value* found = record->fields.find(symbol)) return *found;
  const std::string_view name = m.name_of(symbol);
  if (m.types_are_patched_)
    if (const Value* own = m.external(record->path).as<External>()->written.find(symbol))
      return bind_method(*own, record, nullptr, {}, 0);
  if (const Getter getter = natives.find_getter(record->kind, name))
    if (auto value = getter(m, record)) return *value;
  if (natives.find_method(record->kind, name) || (record->kind == "KernelCall" && name == "launch")) {
    Method* method = m.make<Method>();
    method->self = record;
    method->name = name;
    return method;
  }
  return m.unknown("an attribute that is not modelled: " + record->kind + "." + std::string(name),
                   std::string(name), record->path + "." + std::string(name));
}

Value Machine::Interpreter::attribute_of_class(Class* klass, Symbol name, Node at, int module) {
  const std::string& plain = m.name_of(name);
  if (plain == "__name__" || plain == "__qualname__") return m.text(klass->name);
  if (plain == "__members__" && klass->is_enum) {
    Dict* dict = m.make<Dict>();
    for (const auto& [key, value] : klass->attributes.items())
      if (value.as<Instance>()) dict->items.emplace_back(m.text(m.name_of(key)), value);
    return dict;
  }
  if (klass->is_named_tuple && (plain == "_fields" || plain == "_field_defaults"))
    return fields_of_named(m, *line_of(klass).front(), plain == "_fields");
  if (const Value found = class_attribute(klass, name); found.bound()) {
    Function* f = found.as<Function>();
    if (f && f->is_class_method) return bind_method(found, klass, klass, at, module);
    if (own_method(found, "__get__")) return m.by_special(found, "__get__", {Value::none(), klass});
    return found;
  }
  if (natives.find_method("class", plain) || (klass->storage && natives.find_method("struct", plain))) {
    Method* method = m.make<Method>();
    method->self = klass->storage ? Value(klass->storage) : Value(klass);
    method->name = plain;
    return method;
  }
  if (klass->storage) return attribute_of_record(static_cast<Record*>(klass->storage), name);
  for (const Value& base : klass->bases)
    if (const External* e = base.as<External>())
      return m.unknown("an attribute of " + e->path, plain, e->path + "." + plain);
  return m.unknown("the class has no such attribute", klass->name + "." + plain);
}

Value Machine::Interpreter::attribute_of_super(Super* super, Symbol name, Node at, int module) {
  const Instance* instance = super->self.as<Instance>();
  Class* start = instance ? instance->klass : super->self.as<Class>();
  if (super->after) {
    const auto* line = &line_of(start ? start : super->after);
    auto place = std::find(line->begin(), line->end(), super->after);
    if (place == line->end()) {
      line = &line_of(super->after);
      place = line->begin();
    }
    for (++place; place < line->end(); ++place) {
      Class* c = *place;
      const Value* found = c->attributes.find(name);
      if (c->has_fields && m.name_of(name) == "__init__" && !(found && found->as<Function>())) {
        Method* method = m.make<Method>();
        method->self = super->self;
        method->function = c;
        return method;
      }
      if (found) return bind_method(*found, super->self, start ? start : c, at, module);
    }
  }
  return base_of_super(super, start, name);
}

/// What an object has of a library's class that a model made for it; unbound: there is none.
Value Machine::Interpreter::of_modelled_base(const Value& self, Symbol name) {
  const Instance* instance = self.as<Instance>();
  const Value* held = instance ? instance->attributes.find(m.symbol("__modelled__")) : nullptr;
  Record* model = held ? held->as<Record>() : nullptr;
  if (!model) return {};
  // The library's own methods call others, which the program may have made its own.
  const bool parses = m.name_of(name) == "parse_args" && own_method(self, "parse_known_args");
  if (!parses) return attribute_of_record(model, name);
  const Value out = m.unknown("calls a method of the program's own", "parse_known_args");
  out.as<Unknown>()->changed = true;
  return out;
}

/// A method of a base that is not followed runs.
void Machine::Interpreter::base_runs(Instance* instance) {
  if (has_foreign_base(instance->klass)) return give_away(Value(instance));
  if (!m.current_launch_ && library_depth <= untraced_) called_from_outside(instance);
}

/// What object itself defines.
Value Machine::Interpreter::base_of_super(Super* super, Class* start, Symbol name) {
  const std::string& plain = m.name_of(name);
  if (const Value made = of_modelled_base(super->self, name); made.bound()) return made;
  if (const External* base = start && plain == "__init__" ? modelled_base(start) : nullptr)
    return bound_first(m.external(base->path + ".__init__"), super->self);
  if (start && start->module < Library::first && has_foreign_base(start)) {
    if (Instance* instance = super->self.as<Instance>()) base_runs(instance);
    return m.unknown("an attribute of a base that is not known", plain);
  }
  if (plain == "__init__" || plain == "__post_init__" || plain == "__init_subclass__")
    return m.external("builtins.print");  // does nothing
  if (start && !has_unknown_base(start)) {
    if (plain == "__new__") return m.external("builtins.object.__new__");
    if (is_setting_name(plain)) return bound_first(m.external("builtins.object." + plain), super->self);
  }
  return m.unknown("an attribute of a base that is not known", plain);
}

Value Machine::Interpreter::attribute_of_external(External* e, Symbol symbol, Node at, int module) {
  if (const Value* own = e->written.find(symbol)) return *own;
  if (const Value* known = e->members.find(symbol)) return *known;
  const std::string& name = m.name_of(symbol);
  if ((name == "__name__" || name == "__qualname__") && e->path.starts_with("builtins."))
    return m.text(std::string(e->leaf()));
  const std::string path = e->path + "." + name;
  const Native getter = natives.find_function(path + ".__get__");
  if (getter) {
    Call c{m, path, {}, {}, {}, at, module};
    if (auto value = getter(c)) return *value;
  }
  Value out;
  if (is_library(path) && !natives.find_function(path)) {
    const Value defined = library(path);
    // Numbers, texts, classes and enumeration members of the library; functions keep their name for the
    // models.
    if (defined.bound() && !defined.is_unknown() && !defined.as<Function>() && !defined.as<External>())
      out = defined;
  }
  if (!out.bound()) out = m.external(path);
  if (!getter && library_searches_ == 0) e->members.at(symbol) = out;
  return out;
}

namespace {
/// What Python's own types have beside the special names.
constexpr std::pair<std::string_view, std::string_view> names_of_types[] = {
    {"int",
     " as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real "
     "to_bytes "},
    {"float", " as_integer_ratio conjugate fromhex hex imag is_integer real "},
    {"none", " "},
    {"str",
     " capitalize casefold center count encode endswith expandtabs find format format_map index isalnum "
     "isalpha isascii "
     "isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower "
     "lstrip maketrans "
     "partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split "
     "splitlines startswith strip "
     "swapcase title translate upper zfill decode hex fromhex "},
    {"tuple", " count index "},
    {"list", " append clear copy count extend index insert pop remove reverse sort "},
    {"dict",
     " clear copy fromkeys get items keys pop popitem setdefault update values move_to_end default_factory "
     "most_common elements subtract total "},
    {"set",
     " add clear copy difference difference_update discard intersection intersection_update isdisjoint "
     "issubset "
     "issuperset pop remove symmetric_difference symmetric_difference_update union update "}};
}  // namespace

/// Whether a value of one of Python's own types surely has no attribute of the name. Numbers may be the
/// DSL's.
bool Machine::Interpreter::lacks_name(const Value& object, std::string_view name) const {
  const List* list = object.as<List>();
  const bool own =
      object.as<Text>() || list || object.as<Dict>() || object.as<Set>();  // a tuple may be torch's
  return own && !(list && list->view_of) && !name.starts_with("_") && m.lacks(object, name);
}

bool Machine::lacks(const Value& object, std::string_view name) const {
  const std::string_view kind = interpreter_->kind_of(object);
  for (const auto& [type, names] : names_of_types)
    if (type == kind) return names.find(" " + std::string(name) + " ") == std::string_view::npos;
  return false;
}

/// Of a number or None.
Value Machine::Interpreter::attribute_of_plain(const Value& object, Symbol symbol, Node at, int module) {
  const std::string_view name = m.name_of(symbol);
  if (object.is_number()) {
    const std::string_view kind = kind_of(object);
    if (const Getter getter = natives.find_getter(kind, name))
      if (auto value = getter(m, object)) return *value;
    if (!m.current_launch_ && module < Library::first && !name.starts_with("__") && m.lacks(object, name))
      ++m.uncertain_;  // Python's own numbers have none such, the DSL's may
    Method* method = m.make<Method>();
    method->self = object;
    method->name = name;
    return method;
  }
  const bool plain = !m.current_launch_ && module < Library::first && !name.starts_with("__");
  return plain ? m.raise_error("AttributeError", "None has no attribute '" + std::string(name) + "'", at,
                               module)
               : m.unknown("an attribute of None", std::string(name));
}

namespace {
/// Unbound: slices have no such attribute that is known here.
Value part_of_slice(const Slice& slice, std::string_view name) {
  const Value* part = name == "start"  ? &slice.begin
                      : name == "stop" ? &slice.end
                      : name == "step" ? &slice.step
                                       : nullptr;
  return part && !part->bound() ? Value::none() : part ? *part : Value();
}
}  // namespace

Value Machine::Interpreter::attribute(const Value& object, Symbol symbol, Node at, int module) {
  const std::string_view name = m.name_of(symbol);
  Object* o = object.object();
  if (!o) return attribute_of_plain(object, symbol, at, module);
  switch (o->type) {
    case Type::instance:
      return attribute_of_instance(static_cast<Instance*>(o), symbol, at, module);
    case Type::record:
      return attribute_of_record(static_cast<Record*>(o), symbol);
    case Type::klass:
      return attribute_of_class(static_cast<Class*>(o), symbol, at, module);
    case Type::super:
      return attribute_of_super(static_cast<Super*>(o), symbol, at, module);
    case Type::module: {
      const Module* mod = static_cast<Module*>(o);
      if (const Value* found = mod->scope->names.find(symbol)) return *found;
      const Value inner = imported_module("." + std::string(name), mod->index);
      if (inner.as<Module>()) return inner;
      return m.unknown("the module does not define it", std::string(name));
    }
    case Type::external:
      return attribute_of_external(static_cast<External*>(o), symbol, at, module);
    case Type::unknown: {
      const Unknown* u = static_cast<Unknown*>(o);
      const Value out =
          m.unknown(u->reason, u->depends_on, u->path.empty() ? "" : u->path + "." + std::string(name));
      out.as<Unknown>()->may_be = u->may_be;
      return out;
    }
    case Type::tuple:
      if (Tuple* t = static_cast<Tuple*>(o); !t->names.empty())
        if (const Value found = attribute_of_tuple(t, symbol, at, module); found.bound() || m.raising_)
          return found;
      break;
    case Type::slice:
      if (const Value part = part_of_slice(*static_cast<Slice*>(o), name); part.bound()) return part;
      break;
    case Type::function:
      if (const Value* set = static_cast<Function*>(o)->attributes.find(symbol)) return *set;
      if (name == "__name__")
        return m.text(static_cast<Function*>(o)->path.substr(static_cast<Function*>(o)->path.rfind('.') + 1));
      break;
    default:
      break;
  }
  if (const Getter getter = natives.find_getter(kind_of(object), name))
    if (auto value = getter(m, object)) return *value;
  if (lacks_name(object, name) && !m.current_launch_ && module < Library::first && library_depth == 0)
    return m.raise_error("AttributeError", m.repr(object) + " has no attribute '" + std::string(name) + "'",
                         at, module);
  Method* method = m.make<Method>();
  method->self = object;
  method->name = name;
  return method;
}

}  // namespace cutelab::reading::machine
