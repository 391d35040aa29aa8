#include <algorithm>
#include <utility>

#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
using Keywords = std::vector<std::pair<Symbol, Value>>;

/// Models that ask for each argument by its place and name, and so are told which of them an unpacked value
/// may give, and those to which their arguments do not matter. All others take the arguments that there are.
bool takes_unknown_splats(const Call& c) {
  constexpr std::string_view roots[] = {"cutlass", "cuda", "torch", "argparse", "nvshmem"};
  constexpr std::string_view functions[] = {"builtins.print", "builtins.exit", "sys.exit",
                                            "builtins.object.__new__"};
  const Record* record = c.self.as<Record>();
  const std::string_view path = record ? std::string_view(record->path) : c.path;
  const std::string_view root = path.substr(0, path.find_first_of(".[("));
  const bool is_layout = c.self.object() && c.self.object()->type == Type::layout;
  return is_layout || std::find(std::begin(roots), std::end(roots), root) != std::end(roots) ||
         std::find(std::begin(functions), std::end(functions), c.path) != std::end(functions) ||
         (record && record->kind == "partial");
}

/// What a model answers; nothing where it would drop arguments that are unpacked into the call.
std::optional<Value> answer_of(Native native, Call& c) {
  return c.complete || takes_unknown_splats(c) ? native(c) : std::nullopt;
}

std::string not_told(const Call& c, const char* reason) {
  return c.complete ? reason : "arguments that are unpacked into the call are not known: ";
}
}  // namespace

void Machine::Interpreter::arguments_of(Node list, Scope* s, std::vector<Value>& arguments,
                                        Keywords& keywords, bool& complete) {
  if (list.is(NodeKind::generator_expression)) {
    arguments.push_back(expression(list, s));
    return;
  }
  std::size_t given = 0;
  for (Node a = list.first(); a; a = a.next()) ++given;
  arguments.reserve(given);
  bool placed = true;  // false: after a splat of unknown length positions are not known
  for (const Node a : list.children()) {
    if (m.raising_) return;
    if (a.is(NodeKind::keyword_argument)) {
      const Value value = expression(a.child(Field::value_field), s);
      add_keyword(keywords, symbol_of(a.child(Field::name_field), s->module), value, a, s->module);
    } else if (a.is(NodeKind::list_splat)) {
      if (placed && !spread(a, s, arguments)) placed = complete = false;
    } else if (a.is(NodeKind::dictionary_splat)) {
      const Value inner = expression(a.children().all().front(), s);
      const Dict* dict = inner.as<Dict>();
      if (!dict || dict->open) complete = false;
      if (dict)
        for (const auto& [key, value] : dict->items)
          if (const Text* text = key.as<Text>())
            add_keyword(keywords, m.symbol(text->text), value, a, s->module);
    } else {
      const Value argument = expression(a, s);
      if (placed) arguments.push_back(argument);
    }
  }
}

void Machine::Interpreter::add_keyword(Keywords& keywords, Symbol name, const Value& value, Node at,
                                       int module) {
  for (const auto& [known, given] : keywords)
    if (known == name) {
      m.raise_error("TypeError", "multiple values for keyword argument '" + m.name_of(name) + "'", at,
                    module);
      return;
    }
  keywords.emplace_back(name, value);
}

Value Machine::Interpreter::call_node(Node n, Scope* s) {
  const Value callee = expression(n.child(Field::function_field), s);
  if (m.raising_) return {};
  std::vector<Value> arguments;
  Keywords keywords;
  bool complete = true;
  arguments_of(n.child(Field::arguments_field), s, arguments, keywords, complete);
  if (m.raising_) return {};
  return call(callee, std::move(arguments), std::move(keywords), n, s->module, complete, s);
}

Value Machine::Interpreter::call(const Value& callee, std::vector<Value> arguments, Keywords keywords,
                                 Node at, int module, bool complete, Scope* from) {
  if (callee.as<Function>() || callee.as<Class>() || m.current_launch_ || library_depth > untraced_)
    return call_plain(callee, std::move(arguments), std::move(keywords), at, module, complete, from);
  const Method* method = callee.as<Method>();
  const Record* record = method ? method->self.as<Record>() : callee.as<Record>();
  const External* e = callee.as<External>();
  const Unknown* u = callee.as<Unknown>();
  std::vector<Value> held;  // what an unknown result may hold
  if ((method && method->function.as<Function>()) || care_of(record ? record->path
                                                             : e    ? e->path
                                                             : u    ? u->path
                                                                    : "") == Care::all)
    return call_plain(callee, std::move(arguments), std::move(keywords), at, module, complete, from);
  for (const Value& v : arguments)
    if (may_alias(v)) held.push_back(v);
  for (const auto& [name, v] : keywords)
    if (may_alias(v)) held.push_back(v);
  if (const Value self = method ? method->self : callee; may_alias(self)) held.push_back(self);
  const Value out = call_plain(callee, std::move(arguments), std::move(keywords), at, module, complete, from);
  return held.empty() || !out.is_unknown() ? out : aliased(out, held);
}

Value Machine::Interpreter::call_plain(const Value& callee, std::vector<Value> arguments, Keywords keywords,
                                       Node at, int module, bool complete, Scope* from) {
  if (Function* f = callee.as<Function>()) {
    // A function of the program may have any name.
    const bool of_library = f->module >= Library::first;
    if (const Native native = of_library ? natives.find_function(f->path) : nullptr) {
      Call c{m, f->path, {}, arguments, keywords, at, module, complete};
      if (auto value = answer_of(native, c)) return *value;
      if (m.raising_) return {};
    }
    return call_function(f, nullptr, std::move(arguments), std::move(keywords), at, module, complete);
  }
  Call c{m, {}, {}, std::move(arguments), std::move(keywords), at, module, complete};
  if (Method* method = callee.as<Method>()) return call_method(method, c, from);
  if (External* e = callee.as<External>()) return call_external(e, c, from);
  if (Class* klass = callee.as<Class>()) {
    if (const Native native = natives.find_function(klass->path)) {
      c.path = klass->path;
      if (auto value = answer_of(native, c)) return *value;
      if (m.raising_) return {};
    }
    if (library_names_.count(klass->module) && !klass->is_enum && !klass->is_named_tuple &&
        !klass->is_dataclass && !interpretable_module(klass->module))
      return m.unknown("a library class that builds compiled operations: " + klass->path,
                       at ? std::string(at.text().substr(0, 80)) : "", klass->path);
    return instantiate(klass, std::move(c.arguments), std::move(c.keywords), at, module, complete);
  }
  if (Record* r = callee.as<Record>()) return call_record(r, c);
  if (Instance* instance = callee.as<Instance>()) {
    const Value method = class_attribute(instance->klass, m.symbol("__call__"));
    if (Function* f = method.as<Function>())
      return call_function(f, &callee, std::move(c.arguments), std::move(c.keywords), at, module, complete);
  }
  std::string path;
  if (const Unknown* u = callee.as<Unknown>()) path = u->path;
  if (cannot_be_called(callee, module)) return m.raise_error("TypeError", "not callable", at, module);
  note_unfollowed(path, c);
  if (callee.is_unknown()) {
    lose_aliases(callee);
    called_from_outside(callee);
    give_away(c, path);
  }
  may_allocate(at ? at.child(Field::function_field).text() : std::string_view(path));
  return m.unknown("the call's function is not known: " + why(callee),
                   at ? std::string(at.text().substr(0, 80)) : "", path);
}

Value Machine::Interpreter::call_external(External* e, Call& c, Scope* from) {
  if (e->path == "builtins.super") return call_super(c, from);
  c.path = e->path;
  if (!e->native) e->native = natives.find_function(e->path);
  if (const Native native = *e->native) {
    if (auto value = answer_of(native, c)) return *value;
    if (m.raising_) return {};
  }
  if (e->path.starts_with("cutlass.")) {
    const Value defined = library(e->path);
    Function* f = defined.as<Function>();
    if (f && interpretable(f)) return call(defined, c.arguments, c.keywords, c.node, c.module, c.complete);
    if (const External* other = defined.as<External>())
      if (other->path != e->path) return call(defined, c.arguments, c.keywords, c.node, c.module, c.complete);
    if (Class* klass = defined.as<Class>()) {
      const std::string& name = library_names_[klass->module];
      if (klass->is_enum || name.starts_with("cutlass.utils") || name.starts_with("cutlass.torch") ||
          name.starts_with("cutlass.tensor_utils") || name.starts_with("cutlass.memory") ||
          (name.starts_with("cutlass.experimental.task_scheduling.") && interpretable_module(klass->module)))
        return call(defined, c.arguments, c.keywords, c.node, c.module, c.complete);
    }
  }
  if (e->path.starts_with("builtins.") && is_exception_name(e->leaf())) {
    Record* r = m.record("exception", e->path, &c);
    const Value given = c.arguments.empty() ? Value::none() : c.arguments.front();
    const bool plain_exit = e->leaf() == "SystemExit" && m.truth(given) != Truth::yes;
    m.set_field(r, "message", c.arguments.empty() ? m.text("") : m.text(m.str(given)));
    if (plain_exit) m.set_field(r, "message", m.text(exit_text));
    m.set_field(r, "args", m.tuple(c.arguments));
    for (const char* open : {"message", "args"})
      if (!c.complete) m.set_field(r, open, m.unknown("arguments that are unpacked are not known"));
    return r;
  }
  may_allocate(e->path);
  note_unfollowed(e->path, c);
  if (e->path == "builtins.exec" || e->path == "builtins.eval")
    unseen_code(c.arguments.empty() ? Value() : c.arguments[0], from);
  const bool in_place = e->path.starts_with("random.shuffle") || e->path.starts_with("heapq.") ||
                        e->path.starts_with("bisect.insort");
  for (const Value& a : c.arguments)
    if (in_place || a.as<Iterator>()) lose_content(a);
  give_away(c, e->path);
  return m.unknown(not_told(c, "a library call that is not modelled: ") + e->path,
                   c.node ? std::string(c.node.text().substr(0, 80)) : "", e->path);
}

/// Numbers, texts and containers, and objects of which all is known and that have no __call__.
bool Machine::Interpreter::cannot_be_called(const Value& callee, int module) {
  if (m.current_launch_ || library_depth > 0 || module >= Library::first || m.by_entries_) return false;
  if (const Instance* instance = callee.as<Instance>())
    return !instance->klass->is_enum && instance->klass->module < Library::first &&
           !m.may_have_more(callee) && !class_attribute(instance->klass, m.symbol("__call__")).bound();
  return callee.is_number() || callee.is_none() || callee.as<Text>() || callee.as<Tuple>() ||
         callee.as<List>() || callee.as<Dict>() || callee.as<Set>();
}

/// What takes shared memory and is not followed leaves open how much a kernel takes: a call by that name, and
/// the task scheduler, which does so by itself.
void Machine::Interpreter::may_allocate(std::string_view path) {
  if (!m.current_launch_) return;
  const std::string_view leaf = path.substr(path.rfind('.') + 1);  // npos + 1 = 0: all of it
  if (leaf.starts_with("alloc") || path.find(".task_scheduling.") != std::string_view::npos)
    m.current_launch_->allocated_known = false;
}

std::string_view Machine::Interpreter::kind_of(const Value& v) const {
  if (v.is_int() || v.is_bool()) return "int";
  if (v.is_real()) return "float";
  const Object* o = v.object();
  if (!o) return "none";
  switch (o->type) {
    case Type::text:
      return "str";
    case Type::tuple:
      return "tuple";
    case Type::list:
      return static_cast<const List*>(o)->view_of ? "view" : "list";
    case Type::dict:
      return "dict";
    case Type::set:
      return "set";
    case Type::function:
    case Type::method:
      return "function";
    case Type::klass:
      return "class";
    case Type::layout:
      return "Layout";
    case Type::iterator:
      return "iterator";
    case Type::record:
      return static_cast<const Record*>(o)->kind;
    default:
      return "";
  }
}

Value Machine::Interpreter::call_method(Method* method, Call& c, Scope*) {
  if (Function* f = method->function.as<Function>())
    return call_function(f, &method->self, std::move(c.arguments), std::move(c.keywords), c.node, c.module,
                         c.complete);
  if (Class* fields_of = method->function.as<Class>()) {  // super().__init__ of a dataclass
    if (Instance* made = method->self.as<Instance>())
      initialize({nullptr, fields_of}, made, std::move(c.arguments), std::move(c.keywords), c.node, c.module,
                 c.complete);
    return m.raising_ ? Value() : Value::none();
  }
  const std::string_view kind = kind_of(method->self);
  if (kind == "KernelCall" && method->name == "launch") return launch(method->self.as<Record>(), c);
  const std::string path = std::string(kind) + "." + method->name;
  c.path = path;
  c.self = method->self;
  if (const Native native = natives.find_method(kind, method->name)) {
    if (auto value = answer_of(native, c)) return *value;
    if (m.raising_) return {};
  }
  may_allocate(path);
  if (may_change(method->name)) lose_content(method->self);
  std::string origin = path;
  const Record* record = method->self.as<Record>();
  if (record) origin = record->path + "." + method->name;
  give_away(c, record ? origin : "builtins." + path);
  return m.unknown(not_told(c, "a method that is not modelled: ") + path,
                   c.node ? std::string(c.node.text().substr(0, 80)) : "", origin);
}

Value Machine::Interpreter::call_record(Record* r, Call& c) {
  c.path = r->path;
  c.self = r;
  if (const Native native = natives.find_method(r->kind, "__call__")) {
    if (auto value = answer_of(native, c)) return *value;
    if (m.raising_) return {};
  }
  give_away(c, r->path);
  return m.unknown(not_told(c, "a call of ") + r->kind,
                   c.node ? std::string(c.node.text().substr(0, 80)) : "", r->path);
}

Value Machine::Interpreter::call_function(Function* f, const Value* self, std::vector<Value> arguments,
                                          Keywords keywords, Node at, int module, bool complete) {
  // A recursion whose end hangs on an unknown condition would go both ways at each level.
  const int running = running_[f->node.tree()][f->node.index()];
  const bool over =
      running > (open_forks_ == 0 ? 60 : 2) || depth_ > 300 || m.trace_.activations().size() > 60'000;
  if (over && !std::exchange(let_in_, false)) return too_deep(f, self, arguments, keywords, at, module);
  if (f->is_replaced && std::exchange(entered_, nullptr) != f && !m.current_launch_)
    return replaced(f, self, arguments, keywords, at, module, complete);
  if (!interpretable(f)) {
    if (const Native native =
            self && f->path.ends_with(".__init__") ? natives.find_function(f->path) : nullptr) {
      Call c{m, f->path, *self, arguments, keywords, at, module, complete};
      if (auto value = answer_of(native, c)) return *value;
      if (m.raising_) return {};
    }
    may_allocate(f->path);
    return m.unknown("a library function that builds compiled operations: " + f->path,
                     at ? std::string(at.text().substr(0, 80)) : "", f->path);
  }
  if (f->memo && f->most_kept != 0 && library_depth == 0 && complete && !m.current_launch_)
    return memoized(f, self, arguments, keywords, at, module);
  if (self) arguments.insert(arguments.begin(), *self);
  if (f->is_jit)  // tensors of torch become the DSL's on the way in
    for (Value& a : arguments)
      if (const Record* r = a.as<Record>(); r && r->kind == "torch")
        a = call(m.external("cutlass.cute.runtime.from_dlpack"), {a}, {}, at, module);
  if (f->is_kernel && !m.current_launch_) {
    Record* made = m.record("KernelCall", f->path);
    made->made_at = at;
    made->made_in = module;
    m.set_field(made, "function", f);
    m.set_field(made, "arguments", m.tuple(arguments));
    Dict* named = m.make<Dict>();
    for (const auto& [name, value] : keywords) named->items.emplace_back(m.text(m.name_of(name)), value);
    m.set_field(made, "keywords", named);
    m.set_field(made, "complete", Value::boolean(complete));
    return made;
  }
  if (f->is_captured) return captured(f, std::move(arguments), keywords, at, module);
  Scope* s = new_scope();
  s->module = f->module;
  s->function = f->index;
  s->parent = f->closure;
  s->running = f;
  s->is_jit = f->is_jit || f->is_kernel;
  if (!enter_function(f, s, arguments, keywords, complete, at, module)) return {};
  if (is_generator(f)) return generator_call(f, s, at, module);
  ++running_[f->node.tree()][f->node.index()];
  const bool inside = running == 1 && !m.current_launch_ && library_depth <= untraced_;
  const Value value = inside ? watched(f, s, at, module) : run_function(f, s, at, module);
  --running_[f->node.tree()][f->node.index()];
  return value;
}

Value Machine::Interpreter::run_function(Function* f, Scope* s, Node at, int module) {
  const bool is_library = f->closure && f->closure->lazy ? true : library_names_.count(f->module) > 0;
  library_depth += is_library ? 1 : 0;
  const bool loop_may_break = loop_may_break_, touched = touched_;
  int activation = 0;
  if (!is_library && library_depth == 0) {
    activation = m.trace_.enter({from_activation_, at, module, f->module, f->index});
    s->activation = activation;
  }
  const int outer = from_activation_;
  from_activation_ = activation;
  Value value;
  bool ordinary = true;
  if (f->index < 0) {
    value = expression(f->node.child(Field::body_field), s);
  } else {
    ++depth_;
    const Flow flow = block(f->node.child(Field::body_field), s);
    --depth_;
    value = flow == Flow::returned ? result_ : Value::none();
    ordinary = flow != Flow::raised && !stopped_;
    if (flow == Flow::raised) value = Value();
    if (flow == Flow::raised && !s->maybe_returned.empty()) {  // a working program took one of the returns
      m.raising_ = false;
      ordinary = !stopped_;
      value = s->maybe_returned.front();
    }
    touched_ = touched || (value.is_unknown() && !s->maybe_returned.empty());
    for (const Value& maybe : s->maybe_returned) value = join(maybe, value, "a return on a branch");
    touched_ = touched_ || (value.is_unknown() && !s->maybe_returned.empty());
    if (!s->maybe_returned.empty()) undo_perhaps(s);
  }
  from_activation_ = outer;
  loop_may_break_ = loop_may_break;
  if (activation > 0 || !is_library)
    m.trace_.finish(activation, ordinary && left_open_.count(activation) == 0);
  library_depth -= is_library ? 1 : 0;
  return value;
}

}  // namespace cutelab::reading::machine
