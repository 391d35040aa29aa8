#include <algorithm>
#include <array>

#include "reading/machine/fork.h"

// Exceptions: which there are, what a clause takes, where one is sure.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
struct Kin {
  std::string_view name, base;
};
/// Python's own, with what each derives from (Library Reference, "Exception hierarchy").
constexpr std::array<Kin, 59> kin = {{{"BaseException", ""},
                                      {"Exception", "BaseException"},
                                      {"SystemExit", "BaseException"},
                                      {"KeyboardInterrupt", "BaseException"},
                                      {"GeneratorExit", "BaseException"},
                                      {"ArithmeticError", "Exception"},
                                      {"FloatingPointError", "ArithmeticError"},
                                      {"OverflowError", "ArithmeticError"},
                                      {"ZeroDivisionError", "ArithmeticError"},
                                      {"AssertionError", "Exception"},
                                      {"AttributeError", "Exception"},
                                      {"FrozenInstanceError", "AttributeError"},
                                      {"BufferError", "Exception"},
                                      {"EOFError", "Exception"},
                                      {"ImportError", "Exception"},
                                      {"ModuleNotFoundError", "ImportError"},
                                      {"LookupError", "Exception"},
                                      {"IndexError", "LookupError"},
                                      {"KeyError", "LookupError"},
                                      {"MemoryError", "Exception"},
                                      {"NameError", "Exception"},
                                      {"UnboundLocalError", "NameError"},
                                      {"OSError", "Exception"},
                                      {"IOError", "Exception"},
                                      {"EnvironmentError", "Exception"},
                                      {"BlockingIOError", "OSError"},
                                      {"ChildProcessError", "OSError"},
                                      {"ConnectionError", "OSError"},
                                      {"FileExistsError", "OSError"},
                                      {"FileNotFoundError", "OSError"},
                                      {"InterruptedError", "OSError"},
                                      {"IsADirectoryError", "OSError"},
                                      {"NotADirectoryError", "OSError"},
                                      {"PermissionError", "OSError"},
                                      {"ProcessLookupError", "OSError"},
                                      {"TimeoutError", "OSError"},
                                      {"ReferenceError", "Exception"},
                                      {"RuntimeError", "Exception"},
                                      {"NotImplementedError", "RuntimeError"},
                                      {"RecursionError", "RuntimeError"},
                                      {"StopIteration", "Exception"},
                                      {"StopAsyncIteration", "Exception"},
                                      {"SyntaxError", "Exception"},
                                      {"IndentationError", "SyntaxError"},
                                      {"TabError", "IndentationError"},
                                      {"SystemError", "Exception"},
                                      {"TypeError", "Exception"},
                                      {"ValueError", "Exception"},
                                      {"UnicodeError", "ValueError"},
                                      {"UnicodeDecodeError", "UnicodeError"},
                                      {"UnicodeEncodeError", "UnicodeError"},
                                      {"Warning", "Exception"},
                                      {"DeprecationWarning", "Warning"},
                                      {"FutureWarning", "Warning"},
                                      {"ImportWarning", "Warning"},
                                      {"ResourceWarning", "Warning"},
                                      {"RuntimeWarning", "Warning"},
                                      {"SyntaxWarning", "Warning"},
                                      {"UserWarning", "Warning"}}};

const Kin* kin_of(std::string_view name) {
  const auto found = std::find_if(kin.begin(), kin.end(), [&](const Kin& k) { return k.name == name; });
  return found == kin.end() ? nullptr : &*found;
}

bool derives(std::string_view type, std::string_view base) {
  if (base == "IOError" || base == "EnvironmentError") base = "OSError";
  if (type == "IOError" || type == "EnvironmentError") type = "OSError";
  for (const Kin* k = kin_of(type); k; k = kin_of(k->base))
    if (k->name == base) return true;
  return false;
}

std::string_view builtin_name(std::string_view path) {
  constexpr std::string_view builtins = "builtins.";
  if (path == "dataclasses.FrozenInstanceError") return "FrozenInstanceError";
  return path.starts_with(builtins) ? path.substr(builtins.size()) : std::string_view();
}
}  // namespace

/// Whether it names one of Python's own exceptions.
bool is_exception_name(std::string_view name) { return kin_of(name) != nullptr; }

Value Machine::raise_error(std::string_view type, const std::string& what, Node at, int module) {
  if (raising_) return {};
  raise(type == "SystemExit" ? what
        : what.empty()       ? std::string(type)
                             : std::string(type) + ": " + what,
        at, module);
  Record* exception = exception_.as<Record>();
  exception->kind = "exception";
  exception->path = "builtins." + std::string(type);
  return {};
}

/// The exception under way is of one of Python's own types.
bool Machine::Interpreter::exception_is(std::string_view type) const {
  const Record* r = m.exception_.as<Record>();
  return r && r->kind == "exception" && derives(builtin_name(r->path), type);
}

namespace {
/// Whether an exception of the program's own class is one of those; nullopt: a base is not known.
std::optional<bool> is_kind_of(const Class* klass, const Value& type, int depth = 0) {
  if (type.as<Class>() == klass) return true;
  if (depth > 16) return std::nullopt;
  std::optional<bool> out = false;
  const External* wanted = type.as<External>();
  for (const Value& base : klass->bases) {
    const External* e = base.as<External>();
    const std::string_view known = e ? builtin_name(e->path) : std::string_view();
    std::optional<bool> one;
    if (const Class* c = base.as<Class>())
      one = is_kind_of(c, type, depth + 1);
    else if (e && wanted && e->path == wanted->path)
      one = true;
    else if (!known.empty())
      one = wanted && derives(known, builtin_name(wanted->path));
    if (one && *one) return true;
    if (!one) out = std::nullopt;
  }
  return out;
}
}  // namespace

/// Whether a clause for the type takes the exception under way; where that is not known it does.
bool Machine::Interpreter::caught_by(const Value& type) {
  if (const Tuple* several = type.as<Tuple>())
    return std::any_of(several->items.begin(), several->items.end(),
                       [&](const Value& one) { return caught_by(one); });
  if (const Instance* own = m.exception_.as<Instance>()) {
    const auto is = is_kind_of(own->klass, type);
    return !is || *is;
  }
  if (ends_process()) return false;
  const Record* r = m.exception_.as<Record>();
  if (!r || r->kind != "exception") return true;
  const std::string_view raised = builtin_name(r->path);
  if (type.as<Class>()) return false;
  const External* wanted = type.as<External>();
  if (!wanted || raised.empty() || !kin_of(raised)) return true;
  return derives(raised, builtin_name(wanted->path));
}

namespace {
/// A name that stands where a value is read.
bool is_read(Node n) {
  const Node above = n.parent();
  switch (above.kind()) {
    case NodeKind::argument_list:
    case NodeKind::binary_operator:
    case NodeKind::comparison_operator:
    case NodeKind::boolean_operator:
    case NodeKind::not_operator:
    case NodeKind::unary_operator:
    case NodeKind::expression_statement:
    case NodeKind::return_statement:
    case NodeKind::interpolation:
    case NodeKind::subscript:
    case NodeKind::call:
    case NodeKind::conditional_expression:
    case NodeKind::assert_statement:
      return true;
    case NodeKind::attribute:
      return true;
    case NodeKind::assignment:
    case NodeKind::augmented_assignment:
      return n.field() == Field::right_field;
    case NodeKind::lambda:
      return n.field() == Field::body_field;
    case NodeKind::keyword_argument:
      return n.field() == Field::value_field;
    case NodeKind::if_statement:
    case NodeKind::while_statement:
    case NodeKind::elif_clause:
      return n.field() == Field::condition_field;
    default:
      return false;
  }
}
}  // namespace

/// Whether Python surely has no value for a name that the run has none for: nothing in its module gives it
/// one, or all of the module so far was followed.
bool Machine::Interpreter::undefined_for_sure(Symbol name, Scope* s, Node n) {
  if (s->module >= Library::first || library_depth > 0 || stopped_ || m.current_launch_) return false;
  const std::string& plain = m.name_of(name);
  if (plain.starts_with("__")) return false;
  bool given = false;
  const source::Tree& tree = *n.tree();
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const Node one = tree.at(i);
    if (one.is(NodeKind::wildcard_import)) return false;
    if (!one.is(NodeKind::identifier)) continue;
    const std::string_view text = one.text();
    if (text == "globals" || text == "exec" || text == "eval" || text == "locals" || text == "vars")
      return false;
    given = given || (text == plain && !is_read(one));
  }
  // A fragment is read without the names around it.
  if (journals_.empty() && (!given || s == main_scope())) return false;
  if (!given) return true;
  return m.give_ups_.empty() && (s == main_scope() || (is_followed() && escaped_.empty() && !m.by_entries_));
}

/// What a journal of an outer branch must know of a part that was written down apart.
void Machine::Interpreter::pass_on(Journal& journal) {
  if (journals_.empty()) return;
  Journal& outer = *journals_.back();
  for (const Write& w : journal.writes)
    if (w.slots->born < outer.serial) outer.writes.push_back(w);
  const auto pass = [&](auto& from, auto& to) {
    for (auto& saved : from) {
      const bool known = std::any_of(to.begin(), to.end(),
                                     [&](const auto& there) { return there.container == saved.container; });
      if (!known && saved.container->born < outer.serial) to.push_back(std::move(saved));
    }
  };
  pass(journal.lists, outer.lists);
  pass(journal.dicts, outer.dicts);
  pass(journal.sets, outer.sets);
}

/// What changed, kept and taken back, last change first.
Machine::Interpreter::Outcome Machine::Interpreter::taken_back(Journal& journal, Flow flow) {
  Outcome out;
  out.flow = flow;
  out.result = result_;
  m.raising_ = false;
  std::set<std::pair<const Slots*, Symbol>> known;
  for (std::size_t i = journal.writes.size(); i-- > 0;) {
    const Write& w = journal.writes[i];
    Value& place = w.slots->at(w.name);
    if (known.emplace(w.slots, w.name).second) out.writes.push_back({w.slots, w.name, place});
    place = w.value;
  }
  steps_ += static_cast<std::int64_t>(journal.writes.size());
  const auto restore = [](auto& saved_ones, auto& kept) {
    for (std::size_t i = saved_ones.size(); i-- > 0;) {
      auto& saved = saved_ones[i];
      kept.push_back({saved.container, saved.container->items});
      saved.container->items = std::move(saved.items);
    }
  };
  restore(journal.lists, out.lists);
  restore(journal.dicts, out.dicts);
  restore(journal.sets, out.sets);
  return out;
}

}  // namespace cutelab::reading::machine
