#include "reading/machine/class_rules.h"

#include <algorithm>

#include "reading/machine/containers.h"
#include "reading/machine/interpreter.h"
#include "reading/machine/members.h"

// What Python refuses of a class: where it is made, and where an object of it is.
namespace cutelab::reading::machine {
using source::Node;

namespace {
bool counts_abstract(const Value& base) {
  if (const Class* c = base.as<Class>()) return c->keeps_abstract;
  const External* e = base.as<External>();
  return e && (e->path == "abc.ABC" || e->path == "abc.ABCMeta" || e->path == "typing.Protocol");
}

bool is_protocol(const Value& base) {
  const External* e = base.as<External>();
  return e && e->path == "typing.Protocol";
}

/// A number and a text at once, and their like.
bool has_two_layouts(const Class& klass) {
  std::string_view one;
  for (const Class* c : klass.line)
    for (const Value& base : c->bases) {
      const External* e = base.as<External>();
      if (!e || !e->path.starts_with("builtins.")) continue;
      for (const char* name : {"int", "float", "str", "tuple", "list", "dict", "set", "bytes"}) {
        if (e->leaf() != name) continue;
        if (!one.empty() && one != name) return true;
        one = name;
      }
    }
  return false;
}

bool is_abstract_method(Machine& m, const Value& member) {
  const Function* f = member.as<Function>();
  if (!f || f->index < 0 || f->module >= Library::first) return false;
  const auto& written =
      m.program().module(f->module).functions()[static_cast<std::size_t>(f->index)].decorators;
  return std::find(written.begin(), written.end(), "abc.abstractmethod") != written.end();
}
}  // namespace

/// After its body has run and its bases know of it.
void Machine::Interpreter::hold_class(Class* klass, const Value& kind) {
  for (const Value& base : klass->bases)
    if (const Class* c = base.as<Class>(); c && c->is_enum && c->module < Library::first)
      for (const auto& [name, member] : c->attributes.items())
        if (const Instance* i = member.as<Instance>(); i && i->klass == c) {
          m.raise_error("TypeError", klass->name + " cannot extend " + c->name, klass->node, klass->module);
          return;
        }
  if (has_two_layouts(*klass)) {
    m.raise_error("TypeError", "multiple bases have instance lay-out conflict", klass->node, klass->module);
    return;
  }
  klass->keeps_abstract =
      counts_abstract(kind) || std::any_of(klass->bases.begin(), klass->bases.end(), counts_abstract);
  if (!klass->keeps_abstract) return;
  klass->is_abstract = std::any_of(klass->bases.begin(), klass->bases.end(), is_protocol) &&
                       !class_attribute(klass, m.symbol("__init__")).bound();
  for (const Class* c : line_of(klass))
    for (const auto& [name, member] : c->attributes.items())
      klass->is_abstract =
          klass->is_abstract || (is_abstract_method(m, member) && class_attribute(klass, name).same(member));
}

void hold_fields(Machine& m, Class* klass, Node at) {
  using Truth = Machine::Truth;
  std::vector<std::pair<Symbol, bool>> placed;  // whether it has a value
  const auto& line = klass->line;
  for (std::size_t i = line.size(); i-- > 0;) {
    Class* c = line[i];
    if (!c->has_fields) continue;
    bool by_name = c->fields_by_name;
    for (const auto& annotation : c->annotations) {
      const auto& name = annotation.first;  // lambdas below hold it
      const source::Node type = annotation.second;
      const std::string_view written = type ? type.text() : std::string_view();
      by_name = by_name || written.ends_with("KW_ONLY");
      if (written.find("ClassVar") != std::string_view::npos || written.ends_with("KW_ONLY")) continue;
      const Value* held = c->attributes.find(name);
      Record* field = held ? held->as<Record>() : nullptr;
      if (field && field->kind != "dataclass-field") field = nullptr;
      const auto says = [&](const char* what, bool usual) {
        const Value asked = field ? m.field(field, what) : Value();
        return asked.is_bool() ? asked.number() != 0 : usual;
      };
      const Value value = field ? m.field(field, "default") : held ? *held : Value();
      if (c == klass && written.find("InitVar") == std::string_view::npos && value.object()) {
        const Truth hash = value.as<Set>() ? Truth::unknown : has_hash(m, value);
        if (hash == Truth::unknown && !value.is_unknown()) m.unknown("whether a default may be shared");
        if (hash == Truth::no && (value.as<List>() || value.as<Dict>())) {
          m.raise_error("ValueError", "mutable default of the field '" + m.name_of(name) + "'", at,
                        klass->module);
          return;
        }
      }
      const auto known = std::find_if(placed.begin(), placed.end(), [&](auto& p) { return p.first == name; });
      const bool by_place = says("init", true) && !says("kw_only", by_name);
      const bool filled = value.bound() || (field && m.field(field, "default_factory").bound());
      if (known != placed.end())
        known->second = filled;
      else if (by_place)
        placed.emplace_back(name, filled);
    }
  }
  bool behind = false;
  for (const auto& [name, filled] : placed) {
    if (behind && !filled) {
      m.raise_error("TypeError", "'" + m.name_of(name) + "' without a value follows a field with one", at,
                    klass->module);
      return;
    }
    behind = behind || filled;
  }
}

/// Enumeration(value)
Value Machine::Interpreter::member_for(Class* klass, const Value& value, Node at, int module) {
  bool known = !value.is_unknown();
  for (const auto& [name, member] : klass->attributes.items())
    if (const Instance* i = member.as<Instance>(); i && i->klass == klass) {
      const Value* own = i->attributes.find(m.symbol("value"));
      const Truth same = own ? m.equal(*own, value) : Truth::unknown;
      if (same == Truth::yes || member.same(value)) return member;
      known = known && same == Truth::no;
    }
  // The library's enumerations take their members' names in either case (their _missing_ says so).
  const bool searches = class_attribute(klass, m.symbol("_missing_")).bound();
  if (const Text* text = value.as<Text>(); text && searches) {
    std::string upper = text->text;
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (const Value* member = klass->attributes.find(m.symbol(upper)); member && member->as<Instance>())
      return *member;
  }
  const bool own = klass->module < Library::first && !m.current_launch_;
  if (known && own && !searches && !is_flag(*klass) && !has_unknown_base(klass) &&
      !class_attribute(klass, m.symbol("__new__")).bound())
    return m.raise_error("ValueError", m.repr(value) + " is not a valid " + klass->name, at, module);
  return m.unknown("no member of the enumeration", klass->name);
}

}  // namespace cutelab::reading::machine
