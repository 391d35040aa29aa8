#include <algorithm>

#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
using Keywords = std::vector<std::pair<Symbol, Value>>;
std::string_view leaf_of(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}
}  // namespace

void Machine::Interpreter::read_decorators(const source::PythonFunction& f, Function* out) const {
  for (const std::string& d : f.decorators) {
    const std::string_view leaf = leaf_of(d);
    out->is_static = out->is_static || leaf == "staticmethod";
    out->is_class_method = out->is_class_method || leaf == "classmethod";
    out->is_property = out->is_property || leaf == "property" || leaf == "cached_property";
    out->is_cached = out->is_cached || leaf == "lru_cache" || leaf == "cache";
    out->is_jit = out->is_jit || leaf == "jit" || leaf == "kernel";
    out->is_kernel = out->is_kernel || leaf == "kernel";
    out->is_captured =
        out->is_captured || (leaf == "schedule" && d.find("task_scheduling") != std::string::npos);
  }
}

Value Machine::Interpreter::define_function(Node n, Scope* s) {
  const source::PythonModule& module = module_of(s->module);
  Function* f = m.make<Function>();
  f->module = s->module;
  f->index = module.function_at(n.child(Field::name_field));
  f->node = n;
  f->closure = s;
  if (f->index >= 0) {
    const source::PythonFunction& found = module.functions()[static_cast<std::size_t>(f->index)];
    read_decorators(found, f);
    const auto library = library_names_.find(s->module);
    f->path = library == library_names_.end() ? found.qualified : library->second + "." + found.qualified;
  }
  if (s->is_class) f->owner = s->self.as<Class>();
  // A function inside device code runs on the device as well.
  f->is_jit = f->is_jit || s->is_jit;
  make_defaults(f, s);
  return f;
}

Value Machine::Interpreter::decorated(Node n, Scope* s) {
  const Node inner = n.child(Field::definition_field);
  Value value = inner.is(NodeKind::class_definition) ? define_class(inner, s) : define_function(inner, s);
  std::vector<Node> decorators;
  for (const Node c : n.children())
    if (c.is(NodeKind::decorator)) decorators.push_back(c);
  static const char* const plain[] = {"staticmethod",   "classmethod",    "property",  "cached_property",
                                      "lru_cache",      "cache",          "jit",       "kernel",
                                      "contextmanager", "setter",         "wraps",     "dsl_user_op",
                                      "overload",       "abstractmethod", "no_grad",   "inference_mode",
                                      "total_ordering", "unique",         "deprecated"};
  for (std::size_t i = decorators.size(); i-- > 0;) {
    const Node expression_node = decorators[i].children().all().front();
    const Node named =
        expression_node.is(NodeKind::call) ? expression_node.child(Field::function_field) : expression_node;
    const std::string path = module_of(s->module).qualified(named);
    const std::string_view leaf = leaf_of(path);
    if (leaf == "setter") return lookup(symbol_of(inner.child(Field::name_field), s->module), s);
    if (std::find(std::begin(plain), std::end(plain), leaf) != std::end(plain)) continue;
    const auto home = library_names_.find(s->module);
    if (path.find(".task_scheduling.") != std::string::npos ||
        (home != library_names_.end() && home->second.find(".task_scheduling.") != std::string::npos &&
         (leaf == "consumer_work" || leaf == "producer_work")))
      continue;  // marks work and schedules
    if (leaf == "dataclass" && value.as<Class>()) {
      value.as<Class>()->is_dataclass = value.as<Class>()->has_fields = true;
      for (const Node option : expression_node.child(Field::arguments_field).children())
        if (option.text() == "kw_only=True") value.as<Class>()->fields_by_name = true;
      continue;
    }
    const Value decorator = expression(expression_node, s);
    if (m.raising_) return value;
    const External* e = decorator.as<External>();
    if ((e && natives.find_function(e->path)) || (decorator.as<Function>() && !s->lazy)) {
      const Value made = call(decorator, {value}, {}, expression_node, s->module);
      if (m.raising_) return value;
      if (made.bound() && !made.is_unknown() && !made.is_none()) value = made;
    }
  }
  return value;
}

Value Machine::Interpreter::define_class(Node n, Scope* s) {
  const source::PythonModule& module = module_of(s->module);
  Class* klass = m.make<Class>();
  klass->module = s->module;
  klass->node = n;
  klass->name = n.child(Field::name_field).text();
  klass->index = module.class_at(n.child(Field::name_field));
  const auto library = library_names_.find(s->module);
  klass->path = library == library_names_.end() ? klass->name : library->second + "." + klass->name;
  for (const Node base : n.child(Field::superclasses_field).children()) {
    if (base.is(NodeKind::keyword_argument)) continue;
    Value value = expression(base, s);
    if (m.raising_) return {};
    if (const External* e = value.as<External>()) {
      klass->is_enum = klass->is_enum || e->leaf().ends_with("Enum") || e->leaf().ends_with("Flag");
      klass->is_named_tuple = klass->is_named_tuple || e->leaf() == "NamedTuple";
      if (const Value defined = this->library(e->path); defined.as<Class>()) value = defined;
    }
    if (const Class* c = value.as<Class>()) {
      klass->is_enum = klass->is_enum || c->is_enum;
      klass->is_dataclass = klass->is_dataclass || c->is_dataclass;
      klass->is_named_tuple = klass->is_named_tuple || c->is_named_tuple;
    }
    klass->bases.push_back(value);
  }
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
  for (const auto& [name, value] : body->names.items()) klass->attributes.at(name) = value;
  finish_class(klass);
  return klass;
}

/// The members of an enumeration are instances of it.
void Machine::Interpreter::finish_class(Class* klass) {
  if (!klass->is_enum) return;
  std::int64_t automatic = 0;
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
    if (u && u->path == "enum.auto") number = Value::integer(++automatic);
    if (number.is_integral()) automatic = number.number();
    member->attributes.at(value_symbol) = number;
    const Value first = member_of_value(klass, number);
    klass->attributes.at(name) = first.bound() ? first : Value(member);
    if (!first.bound()) initialise_member(member, number);
  }
}

/// The member that has a value; a second name for it is an alias. Unbound: there is none yet.
Value Machine::Interpreter::member_of_value(Class* klass, const Value& value) {
  for (const auto& [name, member] : klass->attributes.items())
    if (const Instance* i = member.as<Instance>(); i && i->klass == klass) {
      const Value* known = i->attributes.find(m.symbol("value"));
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

Value Machine::Interpreter::instantiate_special(Class* klass, std::vector<Value>& arguments,
                                                Keywords& keywords, bool& done) {
  done = true;
  if (klass->is_enum && arguments.size() == 1) {
    for (const auto& [name, member] : klass->attributes.items())
      if (const Instance* i = member.as<Instance>()) {
        const Value* value = i->attributes.find(m.symbol("value"));
        if (value && m.equal(*value, arguments[0]) == Truth::yes) return member;
        if (member.same(arguments[0])) return member;
      }
    // The library's enumerations take their members' names in either case (their _missing_ says so).
    if (const Text* text = arguments[0].as<Text>();
        text && class_attribute(klass, m.symbol("_missing_")).bound()) {
      std::string upper = text->text;
      for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      if (const Value* member = klass->attributes.find(m.symbol(upper)); member && member->as<Instance>())
        return *member;
    }
    return m.unknown("no member of the enumeration", klass->name);
  }
  if (klass->is_named_tuple) {
    Tuple* made = m.make<Tuple>(std::vector<Value>{});
    std::size_t next = 0;
    for (const auto& [name, type] : klass->annotations) {
      Value value;
      if (next < arguments.size()) value = arguments[next++];
      for (const auto& [key, given] : keywords)
        if (key == name) value = given;
      if (!value.bound())
        if (const Value* otherwise = klass->attributes.find(name)) value = *otherwise;
      made->items.push_back(value.bound() ? value
                                          : m.unknown("an argument that is not given", m.name_of(name)));
      made->names.push_back(name);
    }
    return made;
  }
  done = false;
  return {};
}

/// The fields of a dataclass and of its bases that are dataclasses, from the arguments of its `__init__`.
void Machine::Interpreter::fill_fields(Class* klass, Instance* made, const std::vector<Value>& arguments,
                                       const Keywords& keywords, bool complete) {
  std::vector<Class*> line;  // bases first
  for (Class* c = klass; c;) {
    if (c->has_fields) line.insert(line.begin(), c);
    Class* next = nullptr;
    for (const Value& base : c->bases)
      if (!next) next = base.as<Class>();
    c = line.size() < 16 ? next : nullptr;
  }
  std::size_t next = 0;
  std::vector<Symbol> done;
  for (Class* c : line)
    for (const auto& [name, type] : c->annotations) {
      if (type.text().find("ClassVar") != std::string_view::npos) continue;
      if (std::find(done.begin(), done.end(), name) != done.end()) continue;
      done.push_back(name);
      const Value otherwise = class_attribute(klass, name);
      Record* field = otherwise.as<Record>();
      if (field && field->kind != "dataclass-field") field = nullptr;
      const Value asked = field ? m.field(field, "init") : Value();
      const bool given_by_call = !(asked.is_bool() && asked.number() == 0);
      Value value;
      for (const auto& [key, given] : keywords)
        if (key == name && given_by_call) value = given;
      if (!value.bound() && given_by_call && !c->fields_by_name && next < arguments.size())
        value = arguments[next++];
      if (!value.bound() && (complete || !given_by_call)) {
        value = field ? m.field(field, "default") : otherwise;
        if (field && !value.bound() && m.field(field, "default_factory").bound())
          value = call(m.field(field, "default_factory"), {}, {}, {}, klass->module);
        if (!value.bound() && !given_by_call) continue;  // the program sets it
      }
      if (!value.bound()) value = m.unknown("a field that is not given", m.name_of(name));
      m.set(made->attributes, name, value);
    }
}

Machine::Interpreter::Initializer Machine::Interpreter::initializer(Class* klass, int depth) {
  if (const Value* own = klass->attributes.find(m.symbol("__init__")); own && own->as<Function>())
    return {own->as<Function>(), nullptr};
  if (klass->has_fields) return {nullptr, klass};
  for (const Value& base : klass->bases)
    if (Class* c = base.as<Class>(); c && depth < 16)
      if (const Initializer found = initializer(c, depth + 1); found.function || found.fields_of)
        return found;
  return {};
}

void Machine::Interpreter::initialize(const Initializer& how, Instance* made, std::vector<Value> arguments,
                                      Keywords keywords, Node at, int module, bool complete) {
  const Value self(made);
  if (how.function) {
    call_function(how.function, &self, std::move(arguments), std::move(keywords), at, module, complete);
    return;
  }
  if (!how.fields_of) return;
  fill_fields(how.fields_of, made, arguments, keywords, complete);
  if (m.raising_) return;
  if (Function* post = class_attribute(made->klass, m.symbol("__post_init__")).as<Function>())
    call_function(post, &self, {}, {}, at, module);
}

Value Machine::Interpreter::instantiate(Class* klass, std::vector<Value> arguments, Keywords keywords,
                                        Node at, int module, bool complete) {
  bool done = false;
  const Value special = instantiate_special(klass, arguments, keywords, done);
  if (done) return special;
  if (klass->storage) {  // a struct laid over memory
    const Value place = m.attribute(klass, "__call__", at, module);
    return m.call(place, std::move(arguments), std::move(keywords), at, module, complete);
  }
  Instance* made = m.make<Instance>();
  made->klass = klass;
  made->made_at = at;
  made->made_in = module;
  initialize(initializer(klass), made, std::move(arguments), std::move(keywords), at, module, complete);
  return m.raising_ ? Value() : Value(made);
}

}  // namespace cutelab::reading::machine
