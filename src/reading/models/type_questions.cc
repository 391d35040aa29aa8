#include <algorithm>

#include "reading/models/arguments.h"
#include "reading/models/element_types.h"
#include "reading/models/instances.h"
#include "reading/models/python_models.h"

// Questions about types and attributes: isinstance, type, getattr …
namespace cutelab::reading::machine::python_models {

std::string_view name_of_form(Dict::Form form) {
  return form == Dict::Form::ordered      ? "OrderedDict"
         : form == Dict::Form::defaulting ? "defaultdict"
         : form == Dict::Form::counting   ? "Counter"
                                          : "dict";
}

namespace {
/// Python's abstract classes of containers that a built-in type of one kind is, of those named here.
constexpr std::string_view abstract_classes[] = {"Iterable",   "Sized",    "Container", "Collection",
                                                 "Reversible", "Sequence", "Mapping",   "MutableSequence",
                                                 "Callable",   "Iterator", "Generator", "MutableMapping"};
constexpr std::string_view built_in_types[] = {
    "bool",  "int",   "float",   "str",   "tuple", "list",        "dict",    "type",       "NoneType",
    "range", "slice", "complex", "bytes", "deque", "OrderedDict", "Counter", "defaultdict"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&all)[N]) {
  return std::find(std::begin(all), std::end(all), name) != std::end(all);
}

/// By the abstract classes that hold for a kind of object; nullopt: it is asked for something else.
std::optional<bool> is_abstract(std::string_view type, std::initializer_list<std::string_view> holding) {
  if (!is_one_of(type, abstract_classes)) return std::nullopt;
  return std::find(holding.begin(), holding.end(), type) != holding.end();
}

std::optional<bool> abstract_of(const Object* o, std::string_view type) {
  switch (o->type) {
    case Type::text:
    case Type::tuple:
    case Type::range:
      return is_abstract(type, {"Iterable", "Sized", "Container", "Collection", "Reversible", "Sequence"});
    case Type::list:
      if (static_cast<const List*>(o)->view_of) return std::nullopt;
      return is_abstract(type, {"Iterable", "Sized", "Container", "Collection", "Reversible", "Sequence",
                                "MutableSequence"});
    case Type::dict:
      return is_abstract(
          type, {"Iterable", "Sized", "Container", "Collection", "Reversible", "Mapping", "MutableMapping"});
    case Type::function:
    case Type::method:
    case Type::klass:
      return type == "Callable" ? std::optional(true) : std::nullopt;
    default:
      return std::nullopt;
  }
}
}  // namespace

std::optional<bool> is_built_in_kind(const Value& v, std::string_view type);

/// Whether a value is an instance of a class of Python's own by its name. Unknown for values that models
/// make, and where the name is none of those that are known here.
std::optional<bool> is_builtin(const Value& v, std::string_view type) {
  if (const Object* o = v.object())
    if (const auto abstract = abstract_of(o, type)) return abstract;
  const auto answer = is_built_in_kind(v, type);
  const bool sure = answer && (*answer || is_one_of(type, built_in_types) ||
                               (!v.object() && is_one_of(type, abstract_classes)));
  return sure ? answer : std::nullopt;
}

std::optional<bool> is_built_in_kind(const Value& v, std::string_view type) {
  if (type == "object") return true;
  if (v.is_bool()) return type == "bool" || type == "int";
  if (v.is_int()) return type == "int" || type == "Integral";
  if (v.is_real()) return type == "float";
  if (v.is_none()) return type == "NoneType";
  const Object* o = v.object();
  if (!o || o->type == Type::unknown) return std::nullopt;
  switch (o->type) {
    case Type::text:
      return type == "str";
    case Type::tuple:
      return type == "tuple" || type == "Sequence" || type == "Iterable";
    case Type::list:
      if (static_cast<const List*>(o)->view_of) return type == "Iterable";
      return type == "list" || type == "Sequence" || type == "Iterable";
    case Type::dict:
      return type == "dict" || type == "Mapping" || type == name_of_form(static_cast<const Dict*>(o)->form);
    case Type::set:  // of the one or the other kind
      return type == "set" || type == "frozenset" ? std::nullopt : std::optional(false);
    case Type::range:
      return type == "range";
    case Type::slice:
      return type == "slice";
    case Type::record:  // of a library's class, which may be one of Python's
      if (static_cast<const Record*>(o)->kind == "deque") return type == "deque";
      return std::nullopt;
    case Type::iterator:
      return type == "Iterator" || type == "Iterable";
    case Type::klass:
      return type == "type";
    case Type::function:
    case Type::method:
      return type == "Callable" || type == "FunctionType";
    default:
      return false;
  }
}

std::string_view class_name(const Value& type) {
  if (const Class* klass = type.as<Class>()) return klass->name;
  const External* library = type.as<External>();
  return library ? library->leaf() : std::string_view();
}

std::optional<bool> is_a(Machine& m, const Value& v, const Value& type, int depth = 0) {
  if (depth > 8) return std::nullopt;
  if (const auto several = type.as<Tuple>() ? m.items(type) : std::nullopt) {
    bool undecided = false;
    for (const Value& one : *several) {
      const auto answer = is_a(m, v, one, depth + 1);
      if (answer && *answer) return true;
      undecided = undecided || !answer;
    }
    return undecided ? std::nullopt : std::optional(false);
  }
  if (v.is_unknown() || type.is_unknown()) return std::nullopt;
  if (const auto numeric = is_numeric_instance(v, type)) return numeric;
  if (v.as<Record>() || v.as<LayoutObject>() || v.as<External>())
    if (const auto answer = model_is_a(m, v, class_name(type))) return answer;
  if (Class* klass = type.as<Class>()) {
    const Instance* i = v.as<Instance>();
    const Tuple* named = v.as<Tuple>();
    if (!i && !(named && named->of)) return v.as<Record>() ? std::nullopt : std::optional(false);
    std::vector<Class*> todo{i ? i->klass : named->of};
    for (std::size_t at = 0; at < todo.size() && at < 32; ++at) {
      if (todo[at] == klass || (todo[at]->path == klass->path)) return true;
      for (const Value& base : todo[at]->bases)
        if (Class* c = base.as<Class>()) todo.push_back(c);
    }
    return false;
  }
  const External* e = type.as<External>();
  if (!e) return std::nullopt;
  if (e->path.starts_with("numbers.") && v.is_number()) {
    const std::string_view tower = e->leaf();
    return v.is_real() ? tower == "Number" || tower == "Complex" || tower == "Real" : true;
  }
  if (const Instance* instance = v.as<Instance>(); instance && e->leaf() == "Callable")
    return instance->klass->attributes.find(m.symbol("__call__")) ? std::optional(true) : std::nullopt;
  if (const Instance* instance = v.as<Instance>())
    if (const auto answer = instance_is_a(instance, e->leaf())) return answer;
  const std::string_view leaf = e->leaf();
  if (e->path.starts_with("builtins.") || e->path.starts_with("typing.") ||
      e->path.starts_with("collections."))
    return is_builtin(v, leaf);
  if (leaf == "Layout") return v.as<LayoutObject>() && v.as<LayoutObject>()->layout.plain();
  if (leaf == "ComposedLayout") return v.as<LayoutObject>() && !v.as<LayoutObject>()->layout.plain();
  if (const Record* r = v.as<Record>()) {
    if (r->kind == leaf) return true;
    const auto dot = r->path.rfind('.');
    if (r->path.substr(dot == std::string::npos ? 0 : dot + 1) == leaf) return true;
    if (Natives::all().find_method(r->kind, "__isinstance__")) {
      Call c{m, "__isinstance__", v, {type}, {}, {}, 0};
      const auto value = Natives::all().find_method(r->kind, "__isinstance__")(c);
      if (value && value->is_bool()) return value->number() != 0;
      return std::nullopt;
    }
    return e->path.starts_with("torch.") && r->kind != "torch" ? std::optional(false) : std::nullopt;
  }
  if (v.is_number() || v.is_none() || v.as<Text>() || v.as<Tuple>() || v.as<List>() || v.as<LayoutObject>())
    return false;
  return std::nullopt;
}

Answer isinstance(Call& c) {
  if (c.count() != 2) return std::nullopt;
  const Value& type = c.arguments[1];
  if ((type.is_number() || type.is_none() || type.as<Text>() || type.as<List>() || type.as<Dict>()) &&
      !c.machine.current_launch())
    return c.machine.raise_error("TypeError", "isinstance() arg 2 must be a type", c.node, c.module);
  const auto answer = is_a(c.machine, c.arguments[0], c.arguments[1]);
  return answer ? Answer(Value::boolean(*answer)) : std::nullopt;
}

Answer issubclass(Call& c) {
  if (c.count() != 2) return std::nullopt;
  if (const auto numeric = is_numeric_subclass(c.arguments[0], c.arguments[1]))
    return Value::boolean(*numeric);
  if (const auto answer = model_is_subclass(c.arguments[0], class_name(c.arguments[1])))
    return Value::boolean(*answer);
  Class *a = c.arguments[0].as<Class>(), *b = c.arguments[1].as<Class>();
  if (!a || !b) return std::nullopt;
  Instance* probe = c.machine.make<Instance>();
  probe->klass = a;
  const auto answer = is_a(c.machine, probe, b);
  return answer ? Answer(Value::boolean(*answer)) : std::nullopt;
}

Answer type_of(Call& c) {
  if (c.count() != 1) return std::nullopt;
  if (const Instance* i = c.arguments[0].as<Instance>()) return Value(i->klass);
  if (const Record* r = c.arguments[0].as<Record>(); r && r->kind == "exception")
    return c.machine.external(r->path);
  if (const Tuple* named = c.arguments[0].as<Tuple>(); named && named->of) return Value(named->of);
  if (const Dict* d = c.arguments[0].as<Dict>(); d && d->form != Dict::Form::plain)
    return c.machine.external("collections." + std::string(name_of_form(d->form)));
  for (const char* name : {"bool", "int", "float", "str", "tuple", "list", "dict", "set"})
    if (const auto is = is_builtin(c.arguments[0], name); is && *is)
      return c.machine.external(std::string("builtins.") + name);
  return std::nullopt;
}

bool is_attribute_error(const Call& c) {
  return c.machine.raising() && c.machine.catches(c.machine.external("builtins.AttributeError"));
}

/// One of Python's own values, or a function of the program, that has nothing of the name.
bool lacks_surely(const Call& c, const Value& v, const std::string& name) {
  if (name.starts_with("__")) return false;
  const Function* f = v.as<Function>();
  if (!f) return c.machine.lacks(v, name);
  return !f->is_jit && !f->is_kernel && !f->memo && !f->attributes.find(c.machine.symbol(name)) &&
         !Natives::all().find_method("function", name);
}

Answer getattr(Call& c) {
  const Text* name = c.count() > 1 ? c.arguments[1].as<Text>() : nullptr;
  if (!name) return std::nullopt;
  if (c.count() > 2 && lacks_surely(c, c.arguments[0], name->text)) return c.arguments[2];
  const Value found = c.machine.attribute(c.arguments[0], name->text, c.node, c.module);
  if (c.count() > 2 && is_attribute_error(c)) {
    c.machine.drop_error();
    return c.arguments[2];
  }
  if (c.count() > 2 && found.is_unknown() && !found.as<Unknown>()->changed &&
      !c.machine.may_have_more(c.arguments[0]) &&
      (c.arguments[0].as<Instance>() || record_if(c.arguments[0], "Namespace") ||
       c.arguments[0].as<Module>() || c.arguments[0].as<Class>()))
    return c.arguments[2];
  return found;
}

/// Whether a number, text, tuple or None has an attribute; nullopt: it is none of them.
std::optional<bool> plain_value_has(Machine& m, const Value& v, const std::string& name) {
  const Tuple* tuple = v.as<Tuple>();
  const bool sequence = v.as<Text>() || tuple;
  if (!sequence && !v.is_number() && !v.is_none()) return std::nullopt;
  const auto among = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (tuple && tuple->of && !name.starts_with("__")) {
    if (name == "_asdict" || name == "_replace" || name == "_fields" || name == "_make") return true;
    const Value of_class = m.attribute(tuple->of, name);
    if (of_class.bound() && !of_class.is_unknown() && !of_class.as<Method>()) return true;
  }
  if (tuple && std::find(tuple->names.begin(), tuple->names.end(), m.symbol(name)) != tuple->names.end())
    return true;
  if (!name.starts_with("__")) return !m.lacks(v, name);
  if (among({"__len__", "__iter__", "__getitem__", "__contains__"})) return sequence;
  if (among({"__int__", "__float__", "__add__", "__mul__"}))
    return v.is_number() || (sequence && name[2] != 'i' && name[2] != 'f');
  if (name == "__index__") return v.is_integral();
  return among({"__class__", "__doc__", "__eq__", "__hash__", "__repr__", "__str__"});
}

Answer hasattr(Call& c) {
  const Text* name = c.count() > 1 ? c.arguments[1].as<Text>() : nullptr;
  if (!name || c.arguments[0].is_unknown()) return std::nullopt;
  if (c.arguments[0].is_integral() && name->text == "is_integer") return std::nullopt;  // since 3.12
  if (const auto plainly = plain_value_has(c.machine, c.arguments[0], name->text))
    return Value::boolean(*plainly);
  if (const Function* f = c.arguments[0].as<Function>();
      f && (name->text == "cache_clear" || name->text == "cache_info"))
    return Value::boolean(f->is_cached);
  const bool own = (c.arguments[0].as<Instance>() || record_if(c.arguments[0], "Namespace") ||
                    c.arguments[0].as<Module>() || c.arguments[0].as<Class>()) &&
                   !c.machine.may_have_more(c.arguments[0]);
  const Value found = c.machine.attribute(c.arguments[0], name->text, c.node, c.module);
  if (is_attribute_error(c)) {
    c.machine.drop_error();
    return Value::boolean(false);
  }
  if (c.machine.raising()) return Value();
  if (!found.is_unknown() && !found.as<External>()) return Value::boolean(true);
  return own ? Answer(Value::boolean(false)) : std::nullopt;
}

template <bool plainly>
Answer setattr(Call& c) {
  const Text* name = c.count() > 2 ? c.arguments[1].as<Text>() : nullptr;
  if (!name && c.count() > 2) c.machine.lose_names(c.arguments[0]);
  if (!name) return std::nullopt;
  c.machine.store(c.arguments[0], c.machine.symbol(name->text), c.arguments[2], c.node, c.module, plainly);
  return c.machine.raising() ? Value() : Value::none();
}

Answer delattr(Call& c) {
  const Text* name = c.count() == 2 ? c.arguments[1].as<Text>() : nullptr;
  if (!name && c.count() == 2) c.machine.lose_names(c.arguments[0]);
  if (!name) return std::nullopt;
  c.machine.remove(c.arguments[0], c.machine.symbol(name->text), c.node, c.module);
  return c.machine.raising() ? Value() : Value::none();
}

/// object.__getattribute__(self, name)
Answer base_attribute(Call& c) {
  const Text* name = c.count() == 2 ? c.arguments[1].as<Text>() : nullptr;
  if (!name) return std::nullopt;
  return c.machine.base_attribute(c.arguments[0], c.machine.symbol(name->text), c.node, c.module);
}

/// object.__new__(class)
Answer new_object(Call& c) {
  Class* klass = c.count() ? c.arguments[0].as<Class>() : nullptr;
  return klass ? Answer(c.machine.make_instance(klass)) : std::nullopt;
}

/// vars(object): the attributes of an instance, a module or argparse's namespace, as a dictionary.
Answer vars(Call& c) {
  if (c.count() == 0) return globals_of_module(c);
  if (c.count() != 1) return std::nullopt;
  auto* instance = c.arguments[0].as<Instance>();
  auto* record = record_if(c.arguments[0], "Namespace");
  if (auto* module = c.arguments[0].as<Module>()) return c.machine.dict_of(module->scope->names);
  if (!instance && !record) return std::nullopt;
  if (instance && c.machine.is_slotted(instance->klass))
    return c.machine.raise_error("TypeError", "vars() of an object without __dict__", c.node, c.module);
  return c.machine.dict_of(instance ? instance->attributes : record->fields);
}

Answer callable(Call& c) {
  if (c.count() != 1 || c.arguments[0].is_unknown()) return std::nullopt;
  const Value& v = c.arguments[0];
  if (const Instance* i = v.as<Instance>();
      i && c.machine.may_have_more(v) &&
      !c.machine.attribute(i->klass, "__call__", c.node, c.module).as<Function>())
    return std::nullopt;
  if (const Instance* i = v.as<Instance>())
    return Value::boolean(c.machine.attribute(i->klass, "__call__", c.node, c.module).as<Function>() !=
                          nullptr);
  return Value::boolean(v.as<Function>() || v.as<Method>() || v.as<Class>() || v.as<External>());
}

void add_type_questions(Natives& n) {
  n.method("function", "cache_clear", answer_nothing);
  n.function("builtins", "isinstance", isinstance);
  n.function("builtins", "issubclass", issubclass);
  n.function("builtins", "type", type_of);
  n.function("builtins", "getattr", getattr);
  n.function("builtins", "hasattr", hasattr);
  n.function("builtins", "setattr", setattr<false>);
  n.function("builtins", "object.__setattr__", setattr<true>);
  n.function("builtins", "delattr", delattr);
  n.function("builtins", "object.__getattribute__", base_attribute);
  n.function("builtins", "object.__new__", new_object);
  n.function("builtins", "vars", vars);
  n.function("builtins", "callable", callable);
}

}  // namespace cutelab::reading::machine::python_models
