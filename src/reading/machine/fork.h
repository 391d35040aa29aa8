#pragma once
#include <set>

#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {

template <class Body>
Machine::Interpreter::Outcome Machine::Interpreter::branch(const Body& body) {
  Journal journal;
  journal.serial = ++m.fork_serial_;
  journals_.push_back(&journal);
  const Flow flow = body();
  journals_.pop_back();
  return taken_back(journal, flow);
}

/// Both sides of a branch in a kernel are compiled, unless it is one of compile time. An error there that the
/// program does not raise itself is the reading's: what follows it was not seen, and may well run.
inline bool Machine::Interpreter::fails_by_itself(const std::string& condition) const {
  const Record* exception = m.exception_.as<Record>();
  return m.current_launch_ && exception && !m.own_raise_ && condition.find("const_expr") == std::string::npos;
}

/// Runs both, joins what they did. A branch that raises cannot be the one that a working program takes.
template <class A, class B>
Flow Machine::Interpreter::fork(const A& a, const B& b, const std::string& condition, Scope* s) {
  const Value exception_before = m.exception_;
  const std::size_t yielded = s->yields.size();
  ++open_forks_;
  const Outcome first = branch(a);
  const std::size_t of_first = s->yields.size();
  const Outcome second = branch(b);
  --open_forks_;
  if (s->yields.size() != yielded || of_first != yielded) yields_may_differ(s, yielded);
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
    if (!m.current_launch_) ++m.uncertain_;  // a `try` around it may see the error
    const Outcome& taken = first_raised ? second : first;
    if (try_depth_ > 0) failed_.push_back(first_raised ? first : second);
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
    left_maybe(s, first_left ? first : second);
    take_after_return(s, first_left ? second : first);
    return first_left ? second.flow : first.flow;
  }
  merge(first, second, condition);
  if (first.flow == second.flow) return first.flow;
  loop_may_break_ = loop_may_break_ || first.flow == Flow::broke || second.flow == Flow::broke;
  return Flow::normal;
}

/// Runs something that the program may run any number of times: what it changes is not known afterwards.
template <class Run>
void Machine::Interpreter::run_any_times(const Run& run, const char* what) {
  if (m.current_launch_ || stopped_ || open_forks_ > 8) return;
  const Value exception = m.exception_, result = result_;
  const bool raising = m.raising_;
  m.raising_ = false;
  ++open_forks_;
  const Outcome out = branch([&] {
    run();
    return m.raising_ ? Flow::raised : Flow::normal;
  });
  --open_forks_;
  changed_some_times(out, what);
  m.exception_ = exception;
  m.raising_ = raising;
  result_ = result;
}

/// As run_any_times: again from what a first time leaves open, where that may lead elsewhere.
template <class Run>
void Machine::Interpreter::run_any_times_each_way(const Run& run, const char* what) {
  run_any_times(run, what);
  run_any_times(run, what);
}

}  // namespace cutelab::reading::machine
