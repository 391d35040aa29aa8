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

/// Libraries that leave lists, dicts and objects of the program as they are, beside what is named below.
constexpr std::string_view careful[] = {"abc",
                                        "argparse",
                                        "array",
                                        "ast",
                                        "asyncio",
                                        "atexit",
                                        "base64",
                                        "builtins",
                                        "click",
                                        "cmath",
                                        "collections",
                                        "colorsys",
                                        "concurrent",
                                        "contextlib",
                                        "copy",
                                        "csv",
                                        "ctypes",
                                        "dataclasses",
                                        "datetime",
                                        "decimal",
                                        "difflib",
                                        "einops",
                                        "enum",
                                        "errno",
                                        "fractions",
                                        "functools",
                                        "gc",
                                        "getpass",
                                        "glob",
                                        "hashlib",
                                        "importlib",
                                        "inspect",
                                        "io",
                                        "itertools",
                                        "json",
                                        "keyword",
                                        "linecache",
                                        "locale",
                                        "logging",
                                        "math",
                                        "matplotlib",
                                        "ml_dtypes",
                                        "multiprocessing",
                                        "numbers",
                                        "numpy",
                                        "nvtx",
                                        "operator",
                                        "os",
                                        "pandas",
                                        "pathlib",
                                        "pickle",
                                        "platform",
                                        "pprint",
                                        "pytest",
                                        "queue",
                                        "random",
                                        "re",
                                        "secrets",
                                        "shlex",
                                        "shutil",
                                        "signal",
                                        "socket",
                                        "statistics",
                                        "string",
                                        "struct",
                                        "subprocess",
                                        "sys",
                                        "tempfile",
                                        "textwrap",
                                        "threading",
                                        "time",
                                        "timeit",
                                        "torch",
                                        "tqdm",
                                        "traceback",
                                        "triton",
                                        "types",
                                        "typing",
                                        "typing_extensions",
                                        "unicodedata",
                                        "unittest",
                                        "urllib",
                                        "uuid",
                                        "warnings",
                                        "weakref",
                                        "zlib",
                                        "__future__"};

/// Of those the functions that do change what they are given.
bool changes_given(std::string_view path) {
  constexpr std::array<std::string_view, 6> some = {"random.shuffle",   "operator.setitem",
                                                    "operator.delitem", "operator.methodcaller",
                                                    "unittest.mock",    "ctypes.memmove"};
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
  if (std::find(std::begin(careful), std::end(careful), root) == std::end(careful) || changes_given(path))
    return Care::none;
  return Care::content;
}

/// A name of a library of which it is not known what it stands for: a number, None, a function …
bool Machine::Interpreter::may_be_plain(const External& e) {
  const std::string_view root = root_of(e.path), leaf = e.leaf();
  const bool of_class = !leaf.empty() && leaf[0] >= 'A' && leaf[0] <= 'Z' && care_of(e.path) != Care::none;
  return root.size() != e.path.size() && !of_class && root != "cutlass" && root != "cuda" &&
         root != "torch" && root != "builtins" && root != "typing" && root != "numpy";
}

/// Whether two are equal is not known: one is unknown, or the name of a library for that which stands for
/// anything.
bool Machine::Interpreter::is_left_open(const Value& a, const Value& b) {
  if (a.is_unknown() || b.is_unknown()) return true;
  const External *one = a.as<External>(), *other = b.as<External>();
  return (one == nullptr) != (other == nullptr) && may_be_plain(one ? *one : *other);
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
  steps_ += static_cast<std::int64_t>(seen.size());
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
  if (const Record* record = v.as<Record>(); record && record->kind == "deque")
    return lose_object(m.field(record, "items"), depth + 1, seen);
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
  if (const Instance* instance = v.as<Instance>())
    return is_own(instance->klass) && !instance->klass->is_enum;
  if (const Function* f = v.as<Function>()) return f->module < Library::first;
  if (const Method* method = v.as<Method>()) return may_alias(method->self, depth + 1);
  if (const Record* record = v.as<Record>(); record && record->kind == "deque") return true;
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

}  // namespace cutelab::reading::machine
