#include <algorithm>
#include <array>

#include "reading/machine/interpreter.h"

// The order in which Python looks through a class and its bases, and what of a class takes part in getting
// and setting attributes of its objects.
namespace cutelab::reading::machine {
using source::Node;

namespace {
using Line = std::vector<Class*>;
constexpr std::size_t longest_line = 1000;

/// The next class of a merge: the first head that no list holds further back; null: there is none.
Class* next_of(const std::vector<Line>& lists) {
  for (const Line& list : lists) {
    if (list.empty()) continue;
    Class* head = list.front();
    const bool waits = std::any_of(lists.begin(), lists.end(), [&](const Line& other) {
      return other.size() > 1 && std::find(other.begin() + 1, other.end(), head) != other.end();
    });
    if (!waits) return head;
  }
  return nullptr;
}

bool is_without_names(std::string_view path) {
  static constexpr std::array<std::string_view, 10> harmless = {
      "builtins.object", "abc.ABC",      "enum.Enum",      "enum.IntEnum",    "enum.Flag",
      "enum.IntFlag",    "enum.StrEnum", "typing.Generic", "typing.Protocol", "typing.NamedTuple"};
  return std::find(harmless.begin(), harmless.end(), path) != harmless.end();
}
}  // namespace

/// Longer ones are not followed: what its bases are is not known.
void Machine::Interpreter::end_line(Class* klass) {
  m.give_up("a class stands below more than " + std::to_string(longest_line) + " others", klass->name,
            klass->module, klass->node);
  klass->bases = {m.unknown("bases that are not followed", klass->name)};
}

/// C3, as Python: a class before its bases, bases in the order in which each class names them.
const Line& Machine::Interpreter::line_of(Class* klass) {
  if (!klass->line.empty()) return klass->line;
  klass->line = {klass};
  std::vector<Line> lists;
  Line direct;
  for (const Value& base : klass->bases)
    if (Class* c = base.as<Class>(); c && c != klass) {
      lists.push_back(line_of(c));
      direct.push_back(c);
    }
  if (direct.size() == 1) {
    const Line& above = direct.front()->line;
    if (above.size() < longest_line)
      klass->line.insert(klass->line.end(), above.begin(), above.end());
    else
      end_line(klass);
    return klass->line;
  }
  lists.push_back(std::move(direct));
  for (;;) {
    std::erase_if(lists, [](const Line& list) { return list.empty(); });
    if (lists.empty()) return klass->line;
    Class* next = next_of(lists);
    if (!next) {
      if (klass->module < Library::first)
        m.raise_error("TypeError", "no consistent order of the bases of " + klass->name);
      next = lists.front().front();
    }
    klass->line.push_back(next);
    for (Line& list : lists) std::erase(list, next);
  }
}

Value Machine::Interpreter::class_attribute(Class* klass, Symbol name) {
  for (const Class* c : line_of(klass))
    if (const Value* found = c->attributes.find(name)) return *found;
  return {};
}

bool Machine::Interpreter::is_hooked(Class* klass) {
  return klass->hooks || std::any_of(klass->line.begin(), klass->line.end(),
                                     [](const Class* c) { return c->hooks || c->is_frozen; });
}

bool Machine::Interpreter::has_unknown_base(Class* klass) {
  for (const Class* c : line_of(klass))
    for (const Value& base : c->bases) {
      const External* e = base.as<External>();
      if (!base.as<Class>() && !(e && is_without_names(e->path))) return true;
    }
  return false;
}

Function* Machine::Interpreter::own_method(const Value& object, std::string_view name) {
  const Instance* instance = object.as<Instance>();
  return instance ? class_attribute(instance->klass, m.symbol(name)).as<Function>() : nullptr;
}

Value Machine::by_special(const Value& object, std::string_view name, std::vector<Value> arguments) {
  Function* f = interpreter_->own_method(object, name);
  return f ? interpreter_->call_function(f, &object, std::move(arguments), {}, {}, f->module) : Value();
}

/// Notes what a name of a class's body has to do with attributes of its objects.
void Machine::Interpreter::may_hook(Class* klass, Symbol name, const Value& value) {
  const std::string_view plain = m.name_of(name);
  const bool own = klass->module < Library::first;  // the library's guard against misuse, and change nothing
  if (plain == "__getattribute__" && own) klass->hooks_reading = true;
  if ((plain == "__setattr__" || plain == "__delattr__") && own) klass->hooks = true;
  if (const Function* f = value.as<Function>())
    klass->hooks = klass->hooks || (f->is_property && !f->keeps_value);
  if (const Instance* descriptor = value.as<Instance>(); descriptor && !descriptor->klass->is_enum) {
    const auto has = [&](const char* method) {
      return class_attribute(descriptor->klass, m.symbol(method)).bound();
    };
    klass->hooks = klass->hooks || has("__set__") || has("__delete__");
    klass->hooks_reading = klass->hooks_reading || has("__get__");
  }
  if (plain != "__slots__") return;
  const auto names = value.as<Text>() ? std::optional(std::vector<Value>{value}) : m.items(value);
  klass->has_slots = klass->hooks = names.has_value();
  if (names)
    for (const Value& one : *names)
      if (const Text* text = one.as<Text>()) klass->slots.push_back(m.symbol(text->text));
}

/// What Python does when a class's body has run: __set_name__ of what it holds, __init_subclass__ of a base.
void Machine::Interpreter::set_up_class(Class* klass, std::vector<std::pair<Symbol, Value>> keywords) {
  line_of(klass);
  if (m.raising_ || klass->module >= Library::first) return;
  const auto items = klass->attributes.items();
  for (const auto& [name, value] : items) {
    const Instance* held = value.as<Instance>();
    if (!held || held->klass == klass) continue;
    if (own_method(value, "__set_name__"))
      m.by_special(value, "__set_name__", {klass, m.text(m.name_of(name))});
    if (m.raising_) return;
  }
  const Symbol hook = m.symbol("__init_subclass__");
  for (std::size_t i = 1; i < klass->line.size(); ++i)
    if (const Value* found = klass->line[i]->attributes.find(hook)) {
      const Value self = klass;
      if (Function* f = found->as<Function>())
        call_function(f, &self, {}, std::move(keywords), {}, klass->module);
      return;
    }
}

namespace {
/// The slots of all of a line; nullopt: its objects take any name.
std::optional<std::vector<Symbol>> slots_of(const Line& line) {
  std::vector<Symbol> out;
  for (const Class* c : line) {
    if (!c->has_slots) return std::nullopt;
    out.insert(out.end(), c->slots.begin(), c->slots.end());
  }
  return out;
}
}  // namespace

bool Machine::is_slotted(Class* klass) {
  const auto slots = slots_of(interpreter_->line_of(klass));
  return slots && !interpreter_->has_unknown_base(klass) &&
         std::find(slots->begin(), slots->end(), symbol("__dict__")) == slots->end();
}

/// Whether the class says what `instance.name = value` does; it is done then.
bool Machine::Interpreter::stored_by_class(Instance* instance, Symbol name, const Value& value, Node at,
                                           int module) {
  const Value found = class_attribute(instance->klass, name);
  const Value self = instance;
  if (Function* f = found.as<Function>(); f && f->is_property && !f->keeps_value) {
    if (f->setter)
      call_function(f->setter, &self, {value}, {}, at, module);
    else if (module < Library::first)
      m.raise_error("AttributeError", "property '" + m.name_of(name) + "' has no setter", at, module);
    return true;
  }
  if (own_method(found, "__set__")) {
    m.by_special(found, "__set__", {self, value});
    return true;
  }
  if (own_method(found, "__delete__")) {
    m.raise_error("AttributeError", "__set__", at, module);
    return true;
  }
  if (!m.is_slotted(instance->klass)) return false;
  const auto slots = slots_of(line_of(instance->klass));
  if (std::find(slots->begin(), slots->end(), name) != slots->end()) return false;
  m.raise_error("AttributeError", "no slot '" + m.name_of(name) + "'", at, module);
  return true;
}

/// object.__class__ = …, object.__dict__ = …. False: it is another name.
bool Machine::Interpreter::stored_whole(Instance* instance, Symbol name, const Value& value) {
  if (name == m.symbol("__class__")) {
    Class* klass = value.as<Class>();
    if (klass && journals_.empty())
      instance->klass = instance->attributes.of = klass;
    else
      give_away(Value(instance));
    return true;
  }
  if (name != m.symbol("__dict__")) return false;
  for (const auto& [own, before] : std::vector(instance->attributes.items()))
    m.set(instance->attributes, own, Value());
  const Dict* dict = value.as<Dict>();
  if (!dict || dict->open) m.lose_names(instance);
  for (const auto& [key, given] : dict ? std::vector(dict->items) : std::vector<std::pair<Value, Value>>())
    if (const Text* text = key.as<Text>()) m.set(instance->attributes, m.symbol(text->text), given);
  return true;
}

namespace {
bool holds_member(const Class& klass, Symbol name) {
  const Value* held = klass.is_enum && klass.module < Library::first ? klass.attributes.find(name) : nullptr;
  return held && held->as<Instance>() && held->as<Instance>()->klass == &klass;
}
}  // namespace

void Machine::store(const Value& object, Symbol name, const Value& value, Node at, int module, bool plainly) {
  if (Instance* instance = object.as<Instance>()) {
    Interpreter& run = *interpreter_;
    if (name_of(name).ends_with("__") && run.stored_whole(instance, name, value)) return;
    if (instance->klass->is_enum && (name_of(name) == "value" || name_of(name) == "name")) {
      raise_error("AttributeError", "property '" + name_of(name) + "' has no setter", at, module);
      return;
    }
    if (Interpreter::is_hooked(instance->klass)) {
      const Function* setter = plainly ? nullptr : run.own_method(object, "__setattr__");
      if (setter && setter->module < Library::first) {
        by_special(object, "__setattr__", {text(name_of(name)), value});
        return;
      }
      const auto freezes = [&](Class* c) {  // a class below it may have names of its own
        if (!c->is_frozen) return false;
        const auto fields = fields_of(c);
        return c == instance->klass || std::find(fields.begin(), fields.end(), name) != fields.end();
      };
      const auto& line = run.line_of(instance->klass);
      if (!plainly && std::any_of(line.begin(), line.end(), freezes)) {
        raise_error("FrozenInstanceError", "cannot assign to field '" + name_of(name) + "'", at, module);
        return;
      }
      if (run.stored_by_class(instance, name, value, at, module)) return;
    }
    return set(instance->attributes, name, value);
  }
  if (Class* klass = object.as<Class>()) {
    if (holds_member(*klass, name)) {
      raise_error("AttributeError", "cannot reassign member '" + name_of(name) + "'", at, module);
      return;
    }
    interpreter_->may_hook(klass, name, value);
    return set(klass->attributes, name, value);
  }
  if (Record* record = object.as<Record>()) return set(record->fields, name, value);
  if (Function* function = object.as<Function>()) return set(function->attributes, name, value);
  if (Module* of = object.as<Module>()) return set(of->scope->names, name, value);
  if (External* of = object.as<External>()) {
    types_are_patched_ = true;
    if (of->path == "builtins") interpreter_->patched_builtins_ = of;
    return set(of->written, name, value);
  }
  interpreter_->lose_aliases(object);
  if (const Tuple* named = object.as<Tuple>(); named && named->of && named->of->line.size() > 1) {
    limit("an attribute of an object of a class that derives from a named tuple", name_of(name));
    return;
  }
  if (!object.is_unknown() && !object.as<Method>() && !current_launch_ && !object.as<LayoutObject>() &&
      module < Library::first)
    raise_error("AttributeError", repr(object) + " takes no attribute '" + name_of(name) + "'", at, module);
}

void Machine::remove(const Value& object, Symbol name, Node at, int module) {
  Interpreter& run = *interpreter_;
  Slots* names = nullptr;
  if (Instance* instance = object.as<Instance>()) {
    if (const Function* f = run.own_method(object, "__delattr__"); f && f->module < Library::first) {
      by_special(object, "__delattr__", {text(name_of(name))});
      return;
    }
    const Value found = run.class_attribute(instance->klass, name);
    const Function* f = found.as<Function>();
    const bool property = f && f->is_property && !f->keeps_value;
    if (property && f->deleter) {
      run.call_function(f->deleter, &object, {}, {}, at, module);
      return;
    }
    if (run.own_method(found, "__delete__")) {
      by_special(found, "__delete__", {object});
      return;
    }
    if (property || run.own_method(found, "__set__")) {
      raise_error("AttributeError", "it has nothing to delete '" + name_of(name) + "'", at, module);
      return;
    }
    names = &instance->attributes;
  }
  if (Class* klass = object.as<Class>()) {
    names = &klass->attributes;
    if (holds_member(*klass, name)) {
      raise_error("AttributeError", "cannot delete member '" + name_of(name) + "'", at, module);
      return;
    }
  }
  if (Module* of = object.as<Module>()) names = &of->scope->names;
  if (Function* function = object.as<Function>()) names = &function->attributes;
  if (Record* record = object.as<Record>(); record && record->kind == "Namespace") names = &record->fields;
  if (External* library = object.as<External>(); library && library->written.find(name))
    names = &library->written;
  run.lose_aliases(object);
  if (!names) return;
  if (!names->find(name) && !current_launch_ && module < Library::first) {
    raise_error("AttributeError", "nothing of the name '" + name_of(name) + "' to delete", at, module);
    return;
  }
  set(*names, name, Value());
}

Value Machine::make_instance(Class* klass) {
  Instance* made = make<Instance>();
  made->klass = made->attributes.of = klass;
  return made;
}

Value Machine::base_attribute(const Value& object, Symbol name, Node at, int module) {
  Instance* instance = object.as<Instance>();
  return instance ? interpreter_->attribute_of_instance(instance, name, at, module, true)
                  : interpreter_->attribute(object, name, at, module);
}

/// What the class says of reading an attribute, where it does.
std::optional<Value> Machine::Interpreter::hooked_attribute(Instance* instance, Symbol name, bool plainly) {
  const Value self = instance;
  const Function* asked = plainly ? nullptr : own_method(self, "__getattribute__");
  if (asked && asked->module < Library::first)
    return m.by_special(self, "__getattribute__", {m.text(m.name_of(name))});
  const Value found = class_attribute(instance->klass, name);
  if (!own_method(found, "__get__")) return std::nullopt;
  if (!own_method(found, "__set__") && instance->attributes.find(name)) return std::nullopt;
  return m.by_special(found, "__get__", {self, instance->klass});
}

}  // namespace cutelab::reading::machine
