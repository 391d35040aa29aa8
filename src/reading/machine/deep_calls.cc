#include <algorithm>
#include <utility>

#include "reading/machine/fork.h"

// Calls that are not followed: too deep, or behind a decorator that may make anything of a function; super().
namespace cutelab::reading::machine {
using source::Node;

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

Value Machine::Interpreter::call_super(Call& c, Scope* from) {
  Super* super = m.make<Super>();
  while (from && !from->running) from = from->parent;
  if (c.arguments.size() >= 2) super->self = c.arguments[1];
  if (!from && c.arguments.size() < 2) return unknown_at("super() outside a method", c.node);
  if (!super->self.bound()) super->self = from->self;
  super->after = c.arguments.empty() ? from->running->owner : c.arguments[0].as<Class>();
  // A function inside a method takes the method's.
  for (const Scope* up = from; !super->after && c.arguments.empty() && up; up = up->parent) {
    if (!up->running || !up->running->owner) continue;
    super->after = up->running->owner;
    super->self = up->self;
  }
  return super;
}

bool Machine::Interpreter::interpretable(const Function* f) const { return interpretable_module(f->module); }

bool Machine::Interpreter::interpretable_module(int index) const {
  const auto known = library_names_.find(index);
  if (known == library_names_.end()) return true;
  return is_plain_python(known->second);
}

}  // namespace cutelab::reading::machine
