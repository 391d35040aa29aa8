#include <algorithm>
#include <utility>

#include "reading/machine/fork.h"

// Calls of the program's functions by code that is not followed.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
constexpr std::size_t most_calls = 200;  // of them that are run

bool is_programs(const Class* klass) { return klass->module < Library::first; }
}  // namespace

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
  const auto* items = v.as<Tuple>() ? &v.as<Tuple>()->items : v.as<List>() ? &v.as<List>()->items : nullptr;
  if (items && items->size() <= most_items)
    for (const Value& item : std::vector(*items))
      if (item.as<Function>() || item.as<Method>()) call_untraced(item);
  if (const Function* f = v.as<Function>(); f && f->module < Library::first) {
    std::set<const Object*> seen;
    for (const Value& given : f->defaults) lose_object(given, 0, seen);
    call_untraced(v);
  }
  if (const Method* method = v.as<Method>(); method && method->function.as<Function>()) call_untraced(v);
  if (Class* klass = v.as<Class>(); klass && is_programs(klass) && initializer(klass).function)
    call_untraced(v);
  if (const Unknown* u = v.as<Unknown>(); u && u->may_be)
    for (const Value& one : std::vector(u->may_be->items))
      if (!one.is_unknown()) called_from_outside(one);
  const Instance* instance = v.as<Instance>();
  if (!instance || instance->klass->is_enum || !is_programs(instance->klass)) return;
  const bool whole = has_unknown_base(instance->klass);
  for (Class* c : line_of(instance->klass))
    for (const auto& [name, value] : std::vector(c->attributes.items())) {
      const Function* f = value.as<Function>();
      const std::string& plain = m.name_of(name);
      const bool special =
          plain.starts_with("__") && plain != "__call__" && plain != "__enter__" && plain != "__exit__";
      if (!f || f->is_jit || f->is_kernel || special ||
          !(whole || plain == "__call__" || plain == "__exit__"))
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
  FromOutside& known = from_outside_[{method ? method->self.object() : nullptr,
                                      method ? method->function.object() : callee.object()}];
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
  steps_ += static_cast<std::int64_t>(known.names.size() + known.containers.size());
}

}  // namespace cutelab::reading::machine
