#include <algorithm>
#include <cstdlib>

#include "reading/machine/class_rules.h"
#include "reading/machine/interpreter.h"

// Functions as they are defined, and what stands above them after an @.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
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
    out->keeps_value = out->keeps_value || leaf == "cached_property";
    out->is_cached = out->is_cached || leaf == "lru_cache" || leaf == "cache";
    out->is_manager = out->is_manager || leaf == "contextmanager";
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
  if (s->is_class) {
    f->owner = s->self.as<Class>();
    const std::string_view name = n.child(Field::name_field).text();
    f->is_static = f->is_static || name == "__new__";
    f->is_class_method = f->is_class_method || name == "__init_subclass__" || name == "__class_getitem__";
  }
  // A function inside device code runs on the device as well.
  f->is_jit = f->is_jit || s->is_jit;
  make_defaults(f, s);
  return f;
}

namespace {
/// @lru_cache(maxsize=…): how many results are kept; -1: all.
std::int64_t most_kept(Node decorator, std::string_view leaf) {
  constexpr std::int64_t usual = 128;
  if (leaf == "cache") return -1;
  if (!decorator.is(NodeKind::call)) return usual;
  for (const Node given : decorator.child(Field::arguments_field).children()) {
    const bool named = given.is(NodeKind::keyword_argument);
    if (named && given.child(Field::name_field).text() != "maxsize") continue;
    const Node value = named ? given.child(Field::value_field) : given;
    if (value.is(NodeKind::none)) return -1;
    if (value.is(NodeKind::integer)) return std::strtoll(std::string(value.text()).c_str(), nullptr, 0);
    return 0;  // not known: each call is followed
  }
  return usual;
}

void mark_dataclass(Node decorator, Class* klass) {
  klass->is_dataclass = klass->has_fields = true;
  for (const Node option : decorator.child(Field::arguments_field).children()) {
    if (!option.is(NodeKind::keyword_argument)) continue;
    const std::string_view name = option.child(Field::name_field).text();
    const bool yes = option.child(Field::value_field).is(NodeKind::true_literal);
    if (name == "kw_only") klass->fields_by_name = yes;
    if (name == "frozen") klass->is_frozen = yes;
    if (name == "order") klass->is_ordered = yes;
    if (name == "eq") klass->has_no_equality = !yes;
    if (name != "slots" || !yes) continue;
    klass->has_slots = klass->hooks = true;
    for (const auto& [field, type] : klass->annotations) klass->slots.push_back(field);
  }
}

bool is_only_mark(std::string_view leaf) {
  static constexpr std::string_view marks[] = {
      "jit",     "kernel",         "dsl_user_op",    "overload",
      "no_grad", "inference_mode", "abstractmethod", "total_ordering",
      "unique",  "deprecated",     "final",          "override"};
  return std::find(std::begin(marks), std::end(marks), leaf) != std::end(marks);
}
}  // namespace

/// Decorators that say something of a function and leave it as it is. False: it is none of them.
bool Machine::Interpreter::mark(std::string_view leaf, Node decorator, Node inner, Value& value, Scope* s) {
  if (const Class* klass = leaf == "unique" ? value.as<Class>() : nullptr)
    for (const auto& [name, member] : klass->attributes.items())
      if (const Instance* i = member.as<Instance>(); i && i->klass == klass)
        if (const Value* own = i->attributes.find(m.symbol("name")); own && m.str(*own) != m.name_of(name))
          m.raise_error("ValueError", "duplicate values found in " + klass->name, inner, s->module);
  if (is_only_mark(leaf)) return true;
  Function* f = value.as<Function>();
  if (leaf == "dataclass" && value.as<Class>()) {
    const Class* klass = value.as<Class>();
    mark_dataclass(decorator, value.as<Class>());
    if (klass->is_ordered && klass->has_no_equality)
      m.raise_error("ValueError", "eq must be true if order is true", inner, s->module);
    else if (s->module < Library::first)
      hold_fields(m, value.as<Class>(), inner);
    return true;
  }
  if (leaf == "singledispatch" || leaf == "singledispatchmethod") {
    value = unknown_at("a function of several types is not followed", inner.child(Field::name_field));
    value.as<Unknown>()->changed = true;
    return true;
  }
  if ((leaf == "setter" || leaf == "deleter" || leaf == "getter") && decorator.is(NodeKind::attribute)) {
    const Function* of = expression(decorator.child(Field::object_field), s).as<Function>();
    if (!of || !of->is_property || !f) return false;
    Function* made = m.make<Function>(leaf == "getter" ? *f : *of);
    made->is_property = true;
    made->setter = leaf == "setter" ? f : of->setter;
    made->deleter = leaf == "deleter" ? f : of->deleter;
    value = made;
    return true;
  }
  if (leaf == "lru_cache" || leaf == "cache") {
    if (!f) return true;
    f->bare = m.make<Function>(*f);
    f->memo = m.make<Dict>();
    f->most_kept = most_kept(decorator, leaf);
    return true;
  }
  if (leaf == "wraps" && decorator.is(NodeKind::call)) {
    const Node of = decorator.child(Field::arguments_field).first();
    const Value wrapped = of && f ? expression(of, s) : Value();
    if (m.raising_ || !f || !wrapped.bound()) return true;
    m.set(f->attributes, m.symbol("__name__"), attribute(wrapped, "__name__", of, s->module));
    m.set(f->attributes, m.symbol("__wrapped__"), wrapped);
    if (const Function* inside = wrapped.as<Function>())
      for (const auto& [name, held] : inside->attributes.items()) m.set(f->attributes, name, held);
    return true;
  }
  const bool on_method =
      leaf == "staticmethod" || leaf == "classmethod" || leaf == "property" || leaf == "cached_property";
  if (on_method && f) {  // where something above it made another function of it
    f->is_static = leaf == "staticmethod";
    f->is_class_method = leaf == "classmethod";
    f->is_property = leaf.ends_with("property");
    f->keeps_value = leaf == "cached_property";
  }
  return on_method || leaf == "contextmanager";
}

void Machine::Interpreter::apply_decorator(Node decorator, Node inner, Value& value, Scope* s) {
  const Node named = decorator.is(NodeKind::call) ? decorator.child(Field::function_field) : decorator;
  const std::string path = module_of(s->module).qualified(named);
  const std::string_view leaf = leaf_of(path);
  if (mark(leaf, decorator, inner, value, s) || m.raising_) return;
  const auto home = library_names_.find(s->module);
  if (path.find(".task_scheduling.") != std::string::npos ||
      (home != library_names_.end() && home->second.find(".task_scheduling.") != std::string::npos &&
       (leaf == "consumer_work" || leaf == "producer_work")))
    return;  // marks work and schedules
  const Value by = expression(decorator, s);
  if (m.raising_) return;
  const External* e = by.as<External>();
  const Method* method = by.as<Method>();
  const Class* klass = by.as<Class>();
  const bool own = by.as<Function>() || (method && method->function.as<Function>()) ||
                   (klass && klass->module < Library::first) || own_method(by, "__call__") ||
                   (by.as<Record>() && by.as<Record>()->kind == "partial");
  if (!(e && natives.find_function(e->path)) && !(own && !s->lazy)) {
    if (Function* f = value.as<Function>()) f->is_wrapped = true;
    if (!s->lazy && s->module < Library::first) behind(by, value);
    return;
  }
  const Value made = call(by, {value}, {}, decorator, s->module);
  if (m.raising_ || !made.bound()) return;
  if (!made.is_unknown() && (own || !made.is_none())) value = made;
  if (!made.is_unknown()) return;
  Function* f = value.as<Function>();
  if (f) f->is_wrapped = true;
  if (f && own && !s->lazy && s->module < Library::first) behind(made, value);
}

/// What a decorator that is not followed makes of something: of an unknown library, anything.
void Machine::Interpreter::behind(const Value& decorator, const Value& value) {
  const External* e = decorator.as<External>();
  const Unknown* u = decorator.as<Unknown>();
  if (care_of(e ? e->path : u ? u->path : std::string()) != Care::none || m.current_launch_) return;
  Function* f = value.as<Function>();
  const bool written = f && f->index >= 0;
  const source::PythonFunction* found =
      written ? &module_of(f->module).functions()[static_cast<std::size_t>(f->index)] : nullptr;
  if (f && !(found && (found->has_decorator("jit") || found->has_decorator("kernel")))) {
    f->is_replaced = true;
    give_away(value);
  }
  if (Class* klass = value.as<Class>()) lose_class(klass);
  if (decorator.as<Instance>()) give_away(decorator);
}

Value Machine::Interpreter::decorated(Node n, Scope* s) {
  const Node inner = n.child(Field::definition_field);
  Value value = inner.is(NodeKind::class_definition) ? define_class(inner, s) : define_function(inner, s);
  std::vector<Node> decorators;
  for (const Node c : n.children())
    if (c.is(NodeKind::decorator)) decorators.push_back(c);
  for (std::size_t i = decorators.size(); i-- > 0 && !m.raising_;)
    apply_decorator(decorators[i].children().all().front(), inner, value, s);
  return value;
}

}  // namespace cutelab::reading::machine
