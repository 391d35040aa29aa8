#pragma once
#include <set>

#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {

template <class Body>
Machine::Interpreter::Outcome Machine::Interpreter::branch(const Body& body) {
  Journal journal;
  journal.serial = ++m.fork_serial_;
  journals_.push_back(&journal);
  Outcome out;
  out.flow = body();
  journals_.pop_back();
  out.result = result_;
  m.raising_ = false;
  // Keep what changed, then take it back, last change first.
  std::set<std::pair<const Slots*, Symbol>> known;
  for (std::size_t i = journal.writes.size(); i-- > 0;) {
    const Write& w = journal.writes[i];
    Value& place = w.slots->at(w.name);
    if (known.emplace(w.slots, w.name).second) out.writes.push_back({w.slots, w.name, place});
    place = w.value;
  }
  steps_ += static_cast<std::int64_t>(journal.writes.size());
  for (std::size_t i = journal.lists.size(); i-- > 0;) {
    auto& saved = journal.lists[i];
    out.lists.push_back({saved.container, saved.container->items});
    saved.container->items = std::move(saved.items);
  }
  for (std::size_t i = journal.dicts.size(); i-- > 0;) {
    auto& saved = journal.dicts[i];
    out.dicts.push_back({saved.container, saved.container->items});
    saved.container->items = std::move(saved.items);
  }
  for (std::size_t i = journal.sets.size(); i-- > 0;) {
    auto& saved = journal.sets[i];
    out.sets.push_back({saved.container, saved.container->items});
    saved.container->items = std::move(saved.items);
  }
  return out;
}

/// Both sides of a branch in a kernel are compiled, unless it is one of compile time. An error there that the
/// program does not raise itself is the reading's: what follows it was not seen, and may well run.
inline bool Machine::Interpreter::fails_by_itself(const std::string& condition) const {
  const Record* exception = m.exception_.as<Record>();
  return m.current_launch_ && exception && exception->path == "builtins.Exception" &&
         condition.find("const_expr") == std::string::npos;
}

/// Runs both, joins what they did. A branch that raises cannot be the one that a working program takes.
template <class A, class B>
Flow Machine::Interpreter::fork(const A& a, const B& b, const std::string& condition, Scope* s) {
  const Value exception_before = m.exception_;
  const Outcome first = branch(a);
  const Outcome second = branch(b);
  const bool first_raised = first.flow == Flow::raised, second_raised = second.flow == Flow::raised;
  if (first_raised && second_raised) {
    m.raising_ = true;
    return Flow::raised;
  }
  if (first_raised != second_raised && fails_by_itself(condition)) {
    m.give_up("a branch of a kernel ends with an error: " + m.exception_text(), condition, s->module, {});
    left_open_.insert(s->activation);
  }
  m.exception_ = exception_before;
  if (first_raised || second_raised) {
    const Outcome& taken = first_raised ? second : first;
    take(taken);
    result_ = taken.result;
    return taken.flow;
  }
  const bool first_left = first.flow == Flow::returned, second_left = second.flow == Flow::returned;
  if (first_left && second_left) {
    merge(first, second, condition);
    result_ = join(first.result, second.result, condition);
    return Flow::returned;
  }
  if (first_left || second_left) {
    s->maybe_returned.push_back(first_left ? first.result : second.result);
    take(first_left ? second : first);
    return first_left ? second.flow : first.flow;
  }
  merge(first, second, condition);
  if (first.flow == second.flow) return first.flow;
  loop_may_break_ = loop_may_break_ || first.flow == Flow::broke || second.flow == Flow::broke;
  return Flow::normal;
}

}  // namespace cutelab::reading::machine
