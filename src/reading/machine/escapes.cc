#include <algorithm>
#include <array>

#include "reading/machine/fork.h"

// What code that is not followed may do to what it is given: change it, call it, keep it for later.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
constexpr int deepest_lost = 8;
constexpr std::size_t most_escaped = 64, most_lost = 4096;
constexpr std::size_t most_calls = 200;  // of the program's functions from outside, that are run

/// Libraries that leave lists, dicts and objects of the program as they are, beside what is named below.
constexpr std::string_view careful[] = {
    "abc",  "argparse",   "array",     "ast",       "asyncio",    "atexit",          "base64",
    "builtins",     "click",     "cmath",     "collections", "colorsys",  "concurrent", "contextlib", "copy",
    "csv",          "ctypes",    "dataclasses", "datetime",  "decimal",   "difflib",    "einops",     "enum",
    "errno",        "fractions", "functools", "gc",          "getpass",   "glob",       "hashlib",    "importlib",
    "inspect",      "io",        "itertools", "json",        "keyword",   "linecache",  "locale",     "logging",
    "math",         "matplotlib", "ml_dtypes", "multiprocessing", "numbers", "numpy",   "nvtx",       "operator",
    "os",           "pandas",    "pathlib",   "pickle",      "platform",  "pprint",     "pytest",     "queue",
    "random",       "re",        "secrets",   "shlex",       "shutil",    "signal",     "socket",     "statistics",
    "string",       "struct",    "subprocess", "sys",        "tempfile",  "textwrap",   "threading",  "time",
    "timeit",       "torch",     "tqdm",      "traceback",   "triton",    "types",      "typing",     "typing_extensions",
    "unicodedata",  "unittest",  "urllib",    "uuid",        "warnings",  "weakref",    "zlib",       "__future__"};

/// Of those the functions that do change what they are given.
bool changes_given(std::string_view path) {
  constexpr std::array<std::string_view, 6> some = {"random.shuffle",   "operator.setitem", "operator.delitem",
                                                    "operator.methodcaller", "unittest.mock",
                                                    "ctypes.memmove"};
  return path.starts_with("operator.i") || path.starts_with("operator.__i") ||
         std::any_of(some.begin(), some.end(), [&](std::string_view one) { return path.starts_with(one); });
}

std::string_view root_of(std::string_view path) { return path.substr(0, path.find_first_of(".[(")); }

/// The name by which a value of a library is known.
std::string_view path_of(const Value& v) {
  if (const External* e = v.as<External>()) return e->path;
  if (const Unknown* u = v.as<Unknown>()) return u->path;
  if (const Record* r = v.as<Record>()) return r->path;
  return {};
}

bool is_own(const Class* klass) { return klass->module < Library::first; }
}  // namespace

Machine::Interpreter::Care Machine::Interpreter::care_of(std::string_view path) {
  const std::string_view root = root_of(path);
  if (root == "cutlass" || root == "cuda") return Care::all;
  if (std::find(std::begin(careful), std::end(careful), root) == std::end(careful) || changes_given(path)) return Care::none;
  return Care::content;
}

/// A name of a library of which it is not known what it stands for: a number, None, a function …
bool Machine::Interpreter::may_be_plain(const External& e) {
  const std::string_view root = root_of(e.path), leaf = e.leaf();
  const bool of_class = !leaf.empty() && leaf[0] >= 'A' && leaf[0] <= 'Z' && care_of(e.path) != Care::none;
  return root.size() != e.path.size() && !of_class && root != "cutlass" && root != "cuda" && root != "torch" &&
         root != "builtins" && root != "typing" && root != "numpy";
}

/// A base of a library that may do anything to its objects.
bool Machine::Interpreter::has_foreign_base(Class* klass) {
  for (const Class* c : line_of(klass))
    if (c->open || std::any_of(c->bases.begin(), c->bases.end(), [](const Value& base) {
          return !base.as<Class>() && care_of(path_of(base)) == Care::none;
        }))
      return true;
  return false;
}

bool Machine::may_have_more(const Value& object) {
  const Instance* instance = object.as<Instance>();
  Class* klass = instance ? instance->klass : object.as<Class>();
  if (!klass) return false;
  const auto& line = interpreter_->line_of(klass);
  return (instance && instance->open) || interpreter_->has_unknown_base(klass) ||
         std::any_of(line.begin(), line.end(), [](const Class* c) { return c->open; });
}

namespace {
/// The list, dict or set that a call writes out as an argument: the program holds it nowhere else.
std::vector<Value> written_out(const Call& c) {
  std::vector<Value> out;
  std::size_t place = 0, keyword = 0;
  const Node list = c.node.is(NodeKind::call) ? c.node.child(Field::arguments_field) : Node();
  if (!list) return out;
  for (Node a = list.first(); a; a = a.next()) {
    if (a.is(NodeKind::list_splat) || a.is(NodeKind::dictionary_splat)) return out;
    const bool named = a.is(NodeKind::keyword_argument);
    const Node value = named ? a.child(Field::value_field) : a;
    const bool fits = named ? keyword < c.keywords.size() : place < c.arguments.size();
    if (!fits) return out;
    const Value given = named ? c.keywords[keyword++].second : c.arguments[place++];
    if (value.is(NodeKind::list) || value.is(NodeKind::dictionary) || value.is(NodeKind::set))
      out.push_back(given);
  }
  return out;
}

std::vector<Value> items_of(const Value& v) {
  if (const List* list = v.as<List>()) return list->items;
  std::vector<Value> out;
  if (const Dict* dict = v.as<Dict>())
    for (const auto& [key, value] : dict->items) out.push_back(value);
  return out;
}
}  // namespace

/// A call that is not followed.
void Machine::Interpreter::give_away(const Call& c, std::string_view path) {
  if (m.current_launch_ || stopped_ || library_depth > untraced_) return;
  const Care care = care_of(path);
  if (care == Care::all) return;
  std::vector<Value> given = c.arguments;
  for (const auto& [name, value] : c.keywords) given.push_back(value);
  const bool changing = care == Care::none || std::any_of(given.begin(), given.end(), [&](const Value& v) {
                          return may_change_arguments(v);
                        });
  for (const Value& display : written_out(c)) {
    std::erase_if(given, [&](const Value& v) { return v.same(display); });
    const auto inner = items_of(display);
    given.insert(given.end(), inner.begin(), inner.end());
  }
  std::set<const Object*> seen;
  for (const Value& v : given)
    if (changing || v.as<Iterator>() || v.is_unknown()) lose_object(v, 0, seen);
  for (const Value& v : given) called_from_outside(v);
  for (const Value& v : given)
    if (care == Care::none || v.as<Instance>()) escape(v, care == Care::none ? "" : root_of(path));
  lose_escaped(care == Care::none ? "" : root_of(path));
}

/// Something that code which is not followed gets hold of.
void Machine::Interpreter::give_away(const Value& v) {
  if (m.current_launch_ || stopped_ || library_depth > untraced_) return;
  std::set<const Object*> seen;
  lose_object(v, 0, seen);
  called_from_outside(v);
  escape(v, "");
}

/// It may be used again whenever the library runs; any: whenever anything runs that is not followed.
void Machine::Interpreter::escape(const Value& v, std::string_view library) {
  const Object* o = v.object();
  const bool held = v.as<List>() || v.as<Dict>() || v.as<Set>() || v.as<Instance>() || v.as<Function>() ||
                    v.as<Method>() || v.as<Tuple>() || v.as<Iterator>();
  if (!o || !held || outside_ > 0 || escaped_.size() >= most_escaped) return;
  if (const Instance* i = v.as<Instance>(); i && (i->klass->is_enum || !is_own(i->klass))) return;
  for (const Escaped& known : escaped_)
    if (known.value.same(v)) return;
  escaped_.push_back({v, std::string(library)});
}

void Machine::Interpreter::lose_escaped(std::string_view library) {
  if (outside_ > 0 || m.current_launch_ || library_depth > untraced_) return;
  const std::vector<Escaped> held = escaped_;
  std::set<const Object*> seen;
  for (const Escaped& one : held) {
    if (!library.empty() && one.library != library) continue;
    if (one.library.empty()) lose_object(one.value, 0, seen);
    called_from_outside(one.value);
  }
}

/// What an object holds is not known from here on, nor what those hold that can be reached from it.
void Machine::Interpreter::lose_object(const Value& v, int depth, std::set<const Object*>& seen) {
  const Object* o = v.object();
  if (!o || depth > deepest_lost || seen.size() > most_lost || !seen.insert(o).second) return;
  const auto all = [&](const std::vector<Value>& items) {
    for (const Value& item : items) lose_object(item, depth + 1, seen);
  };
  if (const Tuple* tuple = v.as<Tuple>()) all(tuple->items);
  if (const Unknown* u = v.as<Unknown>(); u && u->may_be) all(u->may_be->items);
  if (const List* list = v.as<List>()) {
    if (list->view_of) return lose_object(list->view_of, depth + 1, seen);
    all(std::vector(list->items));
  }
  if (const Dict* dict = v.as<Dict>())
    for (const auto& [key, value] : std::vector(dict->items)) lose_object(value, depth + 1, seen);
  if (const Method* method = v.as<Method>()) return lose_object(method->self, depth + 1, seen);
  if (Record* record = v.as<Record>(); record && record->kind == "Namespace")
    for (const auto& [name, value] : std::vector(record->fields.items()))
      if (value.bound()) m.set(record->fields, name, lost());
  if (Instance* instance = v.as<Instance>()) return lose_attributes(instance, depth, seen);
  lose_content(v);
}

/// Objects that may be changed through another name, and functions.
bool Machine::Interpreter::may_alias(const Value& v, int depth) const {
  const Object* o = v.object();
  if (!o || depth > 3) return false;
  if (const Tuple* tuple = v.as<Tuple>())
    return std::any_of(tuple->items.begin(), tuple->items.end(),
                       [&](const Value& item) { return may_alias(item, depth + 1); });
  if (const Instance* instance = v.as<Instance>()) return is_own(instance->klass) && !instance->klass->is_enum;
  if (const Function* f = v.as<Function>()) return f->module < Library::first;
  if (const Method* method = v.as<Method>()) return may_alias(method->self, depth + 1);
  if (const Unknown* u = v.as<Unknown>()) return u->may_be != nullptr;
  return v.as<List>() || v.as<Dict>() || v.as<Set>() || v.as<Iterator>();
}

/// An unknown that may be, or hold, one of the values.
Value Machine::Interpreter::aliased(const Value& out, const std::vector<Value>& of) {
  constexpr std::size_t most = 24;
  Unknown* unknown = out.as<Unknown>();
  if (!unknown || m.current_launch_ || library_depth > untraced_) return out;
  std::vector<Value> held = unknown->may_be ? unknown->may_be->items : std::vector<Value>();
  const std::size_t before = held.size();
  const auto add = [&](const Value& v) {
    const auto same = [&](const Value& known) { return known.same(v); };
    if (held.size() < most && std::none_of(held.begin(), held.end(), same)) held.push_back(v);
  };
  for (const Value& v : of) {
    if (!may_alias(v)) continue;
    if (const Unknown* u = v.as<Unknown>())
      for (const Value& one : u->may_be->items) add(one);
    else
      add(v);
  }
  if (held.size() == before) return out;
  Unknown* own = m.make<Unknown>(*unknown);
  own->may_be = m.make<Tuple>(std::move(held));
  return own;
}

/// Something is done to an unknown value: what it may be is changed perhaps.
void Machine::Interpreter::lose_aliases(const Value& v) {
  const Unknown* u = v.as<Unknown>();
  if (!u || !u->may_be || m.current_launch_ || stopped_) return;
  std::set<const Object*> seen;
  for (const Value& one : u->may_be->items) lose_object(one, 0, seen);
}

Value Machine::Interpreter::lost() {
  const Value out = m.unknown("changed by a call that is not followed");
  out.as<Unknown>()->changed = true;
  return out;
}

void Machine::Interpreter::lose_attributes(Instance* instance, int depth, std::set<const Object*>& seen) {
  if (instance->klass->is_enum || !is_own(instance->klass)) return;
  instance->open = true;
  const auto is_code = [](const Value& v) { return v.as<Function>() || v.as<Class>() || v.as<Method>(); };
  for (const auto& [name, value] : std::vector(instance->attributes.items())) {
    lose_object(value, depth + 1, seen);
    if (value.bound() && !is_code(value) && !value.is_unknown())
      m.set(instance->attributes, name, aliased(lost(), {value}));
  }
  for (Class* c : line_of(instance->klass))
    for (const auto& [name, value] : std::vector(c->attributes.items()))
      if (value.bound() && !is_code(value) && !value.as<Instance>() && !m.name_of(name).starts_with("__") &&
          !instance->attributes.find(name))
        m.set(instance->attributes, name, lost());
}

/// A class that something unknown made or changed: its data, and what its objects hold.
void Machine::Interpreter::lose_class(Class* klass) {
  klass->open = true;
  for (const auto& [name, value] : std::vector(klass->attributes.items())) {
    const bool code = value.as<Function>() || value.as<Class>() || value.as<Instance>();
    if (value.bound() && !code && !m.name_of(name).starts_with("__")) m.set(klass->attributes, name, lost());
  }
}

/// Whether a function that is given may change what it is called with.
bool Machine::Interpreter::may_change_arguments(const Value& callee) {
  if (callee.as<Method>()) return callee.as<Method>()->function.as<Function>() != nullptr;
  const Function* f = callee.as<Function>();
  if (!f || f->module >= Library::first) return false;
  const Node body = f->node.child(Field::body_field);
  for (std::uint32_t i = body.index(); i < body.end_index(); ++i) {
    const Node n = body.tree()->at(i);
    if (n.is(NodeKind::call) || n.is(NodeKind::augmented_assignment) || n.is(NodeKind::delete_statement))
      return true;
    const Node left = n.is(NodeKind::assignment) ? n.child(Field::left_field) : Node();
    if (left && !left.is(NodeKind::identifier)) return true;
  }
  return false;
}

/// It, and what it is made of, may be called any number of times, with anything.
void Machine::Interpreter::called_from_outside(const Value& v) {
  constexpr std::size_t most_items = 16;
  const auto* items = v.as<Tuple>()  ? &v.as<Tuple>()->items
                      : v.as<List>() ? &v.as<List>()->items
                                     : nullptr;
  if (items && items->size() <= most_items)
    for (const Value& item : std::vector(*items))
      if (item.as<Function>() || item.as<Method>()) call_untraced(item);
  if (const Function* f = v.as<Function>(); f && f->module < Library::first) {
    std::set<const Object*> seen;
    for (const Value& given : f->defaults) lose_object(given, 0, seen);
    call_untraced(v);
  }
  if (const Method* method = v.as<Method>(); method && method->function.as<Function>()) call_untraced(v);
  if (Class* klass = v.as<Class>(); klass && is_own(klass) && initializer(klass).function) call_untraced(v);
  if (const Unknown* u = v.as<Unknown>(); u && u->may_be)
    for (const Value& one : std::vector(u->may_be->items))
      if (!one.is_unknown()) called_from_outside(one);
  const Instance* instance = v.as<Instance>();
  if (!instance || instance->klass->is_enum || !is_own(instance->klass)) return;
  const bool whole = has_unknown_base(instance->klass);
  for (Class* c : line_of(instance->klass))
    for (const auto& [name, value] : std::vector(c->attributes.items())) {
      const Function* f = value.as<Function>();
      const std::string& plain = m.name_of(name);
      const bool special = plain.starts_with("__") && plain != "__call__" && plain != "__enter__" &&
                           plain != "__exit__";
      if (!f || f->is_jit || f->is_kernel || special || !(whole || plain == "__call__" || plain == "__exit__"))
        continue;
      Method* bound = m.make<Method>();
      bound->self = v;
      bound->function = value;
      call_untraced(bound);
    }
}

void Machine::Interpreter::call_untraced(const Value& callee) {
  constexpr int most_runs = 3;
  if (outside_ > 1 || stopped_ || open_forks_ > 8) return;
  const Method* method = callee.as<Method>();
  FromOutside& known =
      from_outside_[{method ? method->self.object() : nullptr, method ? method->function.object() : callee.object()}];
  std::vector<Value> sees = seen_by(callee);
  const auto is_same = [](const Value& a, const Value& b) { return a.same(b); };
  const bool as_before = std::equal(sees.begin(), sees.end(), known.sees.begin(), known.sees.end(), is_same);
  if ((known.runs >= most_runs && as_before) || calls_from_outside_ > most_calls) return again(known);
  ++known.runs;
  ++calls_from_outside_;
  ++outside_;
  ++untraced_;
  ++library_depth;
  Journal journal;
  journal.serial = ++m.fork_serial_;
  journals_.push_back(&journal);
  run_any_times_each_way([&] { call(callee, {}, {}, {}, 0, false); }, "calls by code that is not followed");
  journals_.pop_back();
  --library_depth;
  --untraced_;
  --outside_;
  known.sees = seen_by(callee);
  for (const Write& w : journal.writes) known.names.emplace(w.slots, w.name);
  const auto note = [&](const Value& container) {
    const auto same = [&](const Value& v) { return v.same(container); };
    if (std::none_of(known.containers.begin(), known.containers.end(), same))
      known.containers.push_back(container);
  };
  for (const auto& saved : journal.lists) note(saved.container);
  for (const auto& saved : journal.dicts) note(saved.container);
  for (const auto& saved : journal.sets) note(saved.container);
  pass_on(journal);
}

/// The objects that the names in a function's body stand for, and those that its object holds.
std::vector<Value> Machine::Interpreter::seen_by(const Value& callee) {
  std::vector<Value> out;
  const Method* method = callee.as<Method>();
  const Function* f = method ? method->function.as<Function>() : callee.as<Function>();
  if (!f) return out;
  const auto note = [&](const Value& v) {
    if (v.object() && !v.is_unknown()) out.push_back(v);
  };
  if (const Instance* self = method ? method->self.as<Instance>() : nullptr)
    for (const auto& [name, value] : self->attributes.items()) note(value);
  const Node body = f->node.child(Field::body_field);
  for (std::uint32_t i = body.index(); i < body.end_index(); ++i) {
    const Node n = body.tree()->at(i);
    if (!n.is(NodeKind::identifier)) continue;
    const Symbol name = symbol_of(n, f->module);
    for (const Scope* up = f->closure; up; up = up->parent)
      if (const Value* found = up->is_class ? nullptr : up->names.find(name)) {
        note(*found);
        break;
      }
  }
  return out;
}

/// What it changed when it ran it changes again.
void Machine::Interpreter::again(const FromOutside& known) {
  for (const auto& [slots, name] : known.names)
    if (const Value* held = slots->find(name); held && !held->is_unknown()) m.set(*slots, name, lost());
  for (const Value& container : known.containers) lose_content(container);
}

/// A function that stands behind a decorator of an unknown library: what the call gives is not known, nor
/// whether it runs.
Value Machine::Interpreter::replaced(Function* f, const Value* self, const std::vector<Value>& arguments,
                                     const Keywords& keywords, Node at, int module, bool complete) {
  run_any_times(
      [&] {
        entered_ = f;
        call_function(f, self, arguments, keywords, at, module, complete);
      },
      "a function behind a decorator that is not followed");
  lose_escaped("");
  const Value out = m.unknown("a decorator that is not followed may give something else", f->path);
  out.as<Unknown>()->changed = true;
  return out;
}

/// A call that is not followed for its depth or number.
Value Machine::Interpreter::too_deep(Function* f, const Value* self, const std::vector<Value>& arguments,
                                     const Keywords& keywords, Node at, int module) {
  ++cuts_;
  m.give_up("calls nest too deep or are too many", f->path, module, at);
  const Value out = m.unknown("calls nest too deep", f->path);
  out.as<Unknown>()->changed = true;
  if (m.current_launch_ || library_depth > untraced_) return out;
  std::set<const Object*> seen;
  if (self) lose_object(*self, 0, seen);
  for (const Value& v : arguments) lose_object(v, 0, seen);
  for (const auto& [name, value] : keywords) lose_object(value, 0, seen);
  if (!std::exchange(cutting_, true)) {
    run_any_times(
        [&] {
          let_in_ = true;
          call_function(f, self, {}, {}, {}, f->module, false);
        },
        "calls that nest too deep");
    cutting_ = false;
  }
  if (watching_ == 0) m.abandon("calls nest too deep or are too many", f->path, module, at);
  return out;
}

/// A call of a function inside itself: if calls in it are not followed, all that it changed is not known.
Value Machine::Interpreter::watched(Function* f, Scope* s, Node at, int module) {
  Journal journal;
  journal.serial = ++m.fork_serial_;
  journals_.push_back(&journal);
  const std::size_t cuts = cuts_;
  ++watching_;
  const Value value = run_function(f, s, at, module);
  --watching_;
  journals_.pop_back();
  if (cuts_ == cuts) {
    pass_on(journal);
    return value;
  }
  const Outcome out = taken_back(journal, Flow::normal);
  for (const Write& w : out.writes)
    if (!without_write(w.slots, w.name).same(w.value)) m.set(*w.slots, w.name, lost());
  for (const auto& saved : out.lists) lose_content(saved.container);
  for (const auto& saved : out.dicts) lose_content(saved.container);
  for (const auto& saved : out.sets) lose_content(saved.container);
  ++m.uncertain_;
  return lost();
}

}  // namespace cutelab::reading::machine
