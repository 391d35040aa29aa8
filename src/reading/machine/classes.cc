#include <algorithm>

#include "reading/machine/fork.h"
#include "reading/machine/members.h"
#include "reading/machine/named_tuples.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
using Keywords = std::vector<std::pair<Symbol, Value>>;
constexpr std::size_t most_members = 8192;  // what is kept of a class is looked through from its start

/// Whether a statement of a class does nothing but give the class a name.
bool only_names(Node statement) {
  for (std::uint32_t i = statement.index(); i < statement.end_index(); ++i) {
    const Node n = statement.tree()->at(i);
    const std::string_view called = n.is(NodeKind::call) ? n.child(Field::function_field).text() : "auto";
    if (!called.ends_with("auto") && !called.ends_with("field")) return false;
    if (n.is(NodeKind::augmented_assignment) || n.is(NodeKind::delete_statement) ||
        n.is(NodeKind::global_statement) || n.is(NodeKind::nonlocal_statement))
      return false;
    if (n.is(NodeKind::assignment) && !n.child(Field::left_field).is(NodeKind::identifier)) return false;
  }
  return true;
}

/// A class of more members than are kept, which does nothing else when it is made.
bool has_too_many_members(const Class& klass) {
  const Node body = klass.node.child(Field::body_field);
  std::size_t members = 0;
  for (Node c = body.first(); c; c = c.next()) ++members;
  return members > most_members && only_names(body) &&
         std::none_of(klass.bases.begin(), klass.bases.end(),
                      [](const Value& base) { return base.as<Class>() || base.is_unknown(); });
}
}  // namespace

Value Machine::Interpreter::define_class(Node n, Scope* s) {
  const source::PythonModule& module = module_of(s->module);
  Class* klass = m.make<Class>();
  klass->module = s->module;
  klass->node = n;
  klass->name = n.child(Field::name_field).text();
  klass->index = module.class_at(n.child(Field::name_field));
  const auto library = library_names_.find(s->module);
  klass->path = library == library_names_.end() ? klass->name : library->second + "." + klass->name;
  Keywords keywords;
  const Value kind = read_bases(n, klass, keywords, s);
  if (m.raising_) return {};
  if (kind.as<Class>() && s->module < Library::first)
    return unknown_at("a class whose metaclass is the program's own", n.child(Field::name_field));
  if (has_too_many_members(*klass))
    return m.limit("a class of more than " + std::to_string(most_members) + " members", klass->name);
  Scope* body = new_scope();
  body->module = s->module;
  body->function = s->function;
  body->parent = s;
  body->is_class = true;
  body->lazy = false;
  body->activation = s->activation;
  body->self = klass;
  klass->scope = body;
  library_depth += s->lazy ? 1 : 0;
  block(n.child(Field::body_field), body);
  library_depth -= s->lazy ? 1 : 0;
  if (m.raising_) return {};
  for (const auto& [name, value] : body->names.items()) {
    klass->attributes.at(name) = value;
    if (value.object()) may_hook(klass, name, value);
  }
  finish_class(klass);
  set_up_class(klass, std::move(keywords));
  if (!m.raising_ && s->module < Library::first) hold_class(klass, kind);
  const External* maker = kind.as<External>();
  const Unknown* unknown = kind.as<Unknown>();
  if (kind.bound() && !s->lazy && s->module < Library::first && !m.raising_ &&
      care_of(maker     ? maker->path
              : unknown ? unknown->path
                        : std::string()) == Care::none)
    lose_class(klass);
  return m.raising_ ? Value() : Value(klass);
}

/// Bases and keywords of a class; gives its metaclass, where one is named.
Value Machine::Interpreter::read_bases(Node n, Class* klass, Keywords& keywords, Scope* s) {
  Value kind;
  for (const Node base : n.child(Field::superclasses_field).children()) {
    if (base.is(NodeKind::keyword_argument)) {
      const Value given = expression(base.child(Field::value_field), s);
      if (base.child(Field::name_field).text() == "metaclass")
        kind = given;
      else
        keywords.emplace_back(symbol_of(base.child(Field::name_field), s->module), given);
      continue;
    }
    Value value = expression(base, s);
    if (m.raising_) return {};
    if (const External* e = value.as<External>()) {
      klass->is_enum = klass->is_enum || e->leaf().ends_with("Enum") || e->leaf().ends_with("Flag");
      klass->is_number =
          klass->is_number || e->path == "builtins.int" || e->leaf() == "IntEnum" || e->leaf() == "IntFlag";
      klass->is_text = klass->is_text || e->path == "builtins.str" || e->leaf() == "StrEnum";
      klass->is_named_tuple = klass->is_named_tuple || e->leaf() == "NamedTuple";
      if (const Value defined = this->library(e->path); defined.as<Class>()) value = defined;
    }
    if (const Class* c = value.as<Class>()) {
      klass->is_enum = klass->is_enum || c->is_enum;
      klass->is_number = klass->is_number || c->is_number;
      klass->is_text = klass->is_text || c->is_text;
      klass->is_dataclass = klass->is_dataclass || c->is_dataclass;
      klass->is_named_tuple = klass->is_named_tuple || c->is_named_tuple;
    }
    klass->bases.push_back(value);
  }
  return kind;
}

/// The members of an enumeration are instances of it.
void Machine::Interpreter::finish_class(Class* klass) {
  if (!klass->is_enum) return;
  line_of(klass);
  const bool flags = is_flag(*klass);
  std::int64_t automatic = 0, highest = 0;
  const auto next = [&] {  // of flags the next bit
    // The one behind the last in Python 3.10, behind the highest from 3.11 on.
    if (!flags && automatic != highest)
      return m.unknown("numbered by its enumeration, as Python's version has it", "auto");
    std::int64_t bit = 1;
    while (flags && bit <= automatic && bit < std::int64_t{1} << 61) bit *= 2;
    return flags ? (bit > automatic ? Value::integer(bit) : m.limit("a flag of more than 62 bits"))
                 : Value::integer(automatic + 1);
  };
  const Symbol name_symbol = m.symbol("name"), value_symbol = m.symbol("value");
  const auto items = klass->attributes.items();
  for (const auto& [name, value] : items) {
    if (!value.bound() || value.as<Function>() || value.as<Class>() || m.name_of(name).starts_with("_"))
      continue;
    Instance* member = m.make<Instance>();
    member->klass = klass;
    member->attributes.at(name_symbol) = m.text(m.name_of(name));
    Value number = value;
    const Unknown* u = value.as<Unknown>();
    if (u && u->path == "enum.auto") number = next();
    if (number.is_integral()) {
      highest = std::max(highest, number.number());
      automatic = flags ? highest : number.number();
    }
    member->attributes.at(value_symbol) = number;
    const Value first = member_of_value(klass, number);
    klass->attributes.at(name) = first.bound() ? first : Value(member);
    if (!first.bound()) initialise_member(member, number);
  }
}

/// The member that has a value; a second name for it is an alias. Unbound: there is none yet.
Value Machine::Interpreter::member_of_value(Class* klass, const Value& value) {
  if (value.is_unknown()) return {};  // equal to none for sure
  const Symbol of_member = m.symbol("value");
  const Text* text = value.as<Text>();
  for (const auto& [name, member] : klass->attributes.items())
    if (const Instance* i = member.as<Instance>(); i && i->klass == klass) {
      const Value* known = i->attributes.find(of_member);
      if (known && known->is_int() && value.is_int() && known->number() != value.number()) continue;
      if (const Text* held = known && text ? known->as<Text>() : nullptr; held && held->text != text->text)
        continue;
      if (known && m.equal(*known, value) == Truth::yes) return member;
    }
  return {};
}

/// `sm_90 = (9, 0, "")` with `def __init__(self, major, minor, suffix)`.
void Machine::Interpreter::initialise_member(Instance* member, const Value& value) {
  Function* own = class_attribute(member->klass, m.symbol("__init__")).as<Function>();
  if (!own) return;
  const Tuple* items = value.as<Tuple>();
  const Value self = member;
  call_function(own, &self, items ? items->items : std::vector<Value>{value}, {}, {}, own->module);
}

/// The fields of a dataclass and of its bases that are dataclasses, from the arguments of its `__init__`.
/// Those that are for __post_init__ alone go there.
void Machine::Interpreter::fill_fields(Class* klass, Instance* made, const std::vector<Value>& arguments,
                                       const Keywords& keywords, bool complete,
                                       std::vector<Value>& for_post_init) {
  std::size_t next = 0, named = 0;
  std::vector<Symbol> done;
  const std::vector<Class*>& line = line_of(klass);
  for (std::size_t i = line.size(); i-- > 0;) {
    Class* c = line[i];
    if (!c->has_fields) continue;
    bool by_name = c->fields_by_name;
    for (const auto& [name, type] : c->annotations) {
      const std::string_view written = type ? type.text() : std::string_view();
      by_name = by_name || written.ends_with("KW_ONLY");
      if (written.find("ClassVar") != std::string_view::npos || written.ends_with("KW_ONLY")) continue;
      if (std::find(done.begin(), done.end(), name) != done.end()) continue;
      done.push_back(name);
      const Value otherwise = class_attribute(klass, name);
      Record* field = otherwise.as<Record>();
      if (field && field->kind != "dataclass-field") field = nullptr;
      const auto says = [&](const char* what, bool usual) {
        const Value asked = field ? m.field(field, what) : Value();
        return asked.is_bool() ? asked.number() != 0 : usual;
      };
      const bool given_by_call = says("init", true);
      Value value;
      for (const auto& [key, given] : keywords)
        if (key == name && given_by_call) value = given;
      named += value.bound() ? 1 : 0;
      if (!value.bound() && given_by_call && !says("kw_only", by_name) && next < arguments.size())
        value = arguments[next++];
      if (!value.bound() && (complete || !given_by_call)) {
        value = field ? m.field(field, "default") : otherwise;
        if (field && !value.bound() && m.field(field, "default_factory").bound())
          value = call(m.field(field, "default_factory"), {}, {}, {}, klass->module);
        if (m.raising_) return;
        if (!value.bound() && !given_by_call) continue;  // the program sets it
      }
      const bool missing = !value.bound();
      if (missing) value = m.unknown("a field that is not given", m.name_of(name));
      if (missing && complete) next = arguments.size() + 1;
      if (written.find("InitVar") != std::string_view::npos)
        for_post_init.push_back(value);
      else if (klass->is_frozen || !is_hooked(klass))
        m.set(made->attributes, name, value);
      else
        m.store(made, name, value, {}, klass->module);
    }
  }
  const bool checked =
      complete && klass->module < Library::first && !m.current_launch_ && !m.by_entries_ && made->made_at;
  if (checked && !m.raising_ && (next != arguments.size() || named != keywords.size()))
    m.raise_error("TypeError", klass->name + "() is not given the fields that it has", made->made_at,
                  made->made_in);
}

Machine::Interpreter::Initializer Machine::Interpreter::initializer(Class* klass) {
  const Symbol name = m.symbol("__init__");
  for (Class* c : line_of(klass)) {
    if (const Value* own = c->attributes.find(name); own && own->as<Function>())
      return {own->as<Function>(), nullptr};
    if (c->has_fields) return {nullptr, c};
  }
  return {};
}

/// A class of a library that the class derives from, of which a model makes what its objects hold.
const External* Machine::Interpreter::modelled_base(Class* klass) {
  for (const Class* c : line_of(klass))
    for (const Value& base : c->bases)
      if (const External* e = base.as<External>(); e && natives.find_function(e->path + ".__init__"))
        return e;
  return nullptr;
}

void Machine::Interpreter::initialize(const Initializer& how, Instance* made, std::vector<Value> arguments,
                                      Keywords keywords, Node at, int module, bool complete) {
  const Value self(made);
  if (how.function) {
    call_function(how.function, &self, std::move(arguments), std::move(keywords), at, module, complete);
    return;
  }
  if (!how.fields_of) {
    if (const External* base = modelled_base(made->klass)) {
      arguments.insert(arguments.begin(), self);
      call(m.external(base->path + ".__init__"), std::move(arguments), std::move(keywords), at, module,
           complete);
    }
    return;
  }
  std::vector<Value> for_post_init;
  fill_fields(how.fields_of, made, arguments, keywords, complete, for_post_init);
  if (m.raising_) return;
  if (Function* post = class_attribute(made->klass, m.symbol("__post_init__")).as<Function>())
    call_function(post, &self, std::move(for_post_init), {}, at, module);
}

Value Machine::Interpreter::instantiate(Class* klass, std::vector<Value> arguments, Keywords keywords,
                                        Node at, int module, bool complete) {
  if (klass->is_enum && arguments.size() == 1) return member_for(klass, arguments[0], at, module);
  if (klass->is_named_tuple && !line_of(klass).empty())
    return make_named_tuple({m, klass->path, {}, arguments, keywords, at, module, complete}, klass);
  if (klass->storage) {  // a struct laid over memory
    const Value place = m.attribute(klass, "__call__", at, module);
    return m.call(place, std::move(arguments), std::move(keywords), at, module, complete);
  }
  if (klass->module < Library::first && class_attribute(klass, m.symbol("__new__")).as<Function>())
    return made_by_new(klass, arguments, keywords, at, module);
  if (klass->is_abstract && !m.by_entries_)
    return m.raise_error("TypeError", "Can't instantiate abstract class " + klass->name, at, module);
  Instance* made = m.make<Instance>();
  made->klass = made->attributes.of = klass;
  made->made_at = at;
  made->made_in = module;
  const Initializer how = initializer(klass);
  const bool takes_none = !how.function && !how.fields_of && complete && at &&
                          klass->module < Library::first && !m.by_entries_ && !m.current_launch_ &&
                          !has_unknown_base(klass);
  if (takes_none && !(arguments.empty() && keywords.empty()))
    return m.raise_error("TypeError", klass->name + "() takes no arguments", at, module);
  const bool foreign = klass->module < Library::first && has_foreign_base(klass);
  if (foreign && !how.function) give_away(Call{m, {}, {}, arguments, keywords, at, module, complete}, {});
  initialize(how, made, std::move(arguments), std::move(keywords), at, module, complete);
  if (m.raising_) return {};
  if (foreign && (!how.function || klass->open)) give_away(Value(made));
  if (Function* last = own_method(made, "__del__"); last && klass->module < Library::first) {
    const Value self = made;  // when it runs is not known
    run_any_times([&] { call_function(last, &self, {}, {}, {}, last->module); }, "__del__ of an object");
  }
  return Value(made);
}

/// By the class's own `__new__`; what that gives is initialized where it is of the class.
Value Machine::Interpreter::made_by_new(Class* klass, const std::vector<Value>& arguments,
                                        const Keywords& keywords, Node at, int module) {
  const Value self = klass;
  Function* maker = class_attribute(klass, m.symbol("__new__")).as<Function>();
  const Value made = call_function(maker, &self, arguments, keywords, at, module);
  if (m.raising_) return {};
  Instance* instance = made.as<Instance>();
  if (!instance) return made;
  const auto& line = line_of(instance->klass);
  if (std::find(line.begin(), line.end(), klass) == line.end()) return made;
  instance->made_at = at;
  instance->made_in = module;
  const Initializer how = initializer(instance->klass);
  if (how.function || how.fields_of) initialize(how, instance, arguments, keywords, at, module, true);
  return m.raising_ ? Value() : made;
}

}  // namespace cutelab::reading::machine
