#include <algorithm>

#include "reading/machine/fork.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

/// The body, then the clause that takes what it raised. Where a value in it is not known it may have ended
/// with an error: both ways are followed.
Flow Machine::Interpreter::try_statement(Node n, Scope* s) {
  std::vector<Node> clauses;
  for (const Node c : n.children())
    if (c.is(NodeKind::except_clause)) clauses.push_back(c);
  const Node body = n.child(Field::body_field);
  const auto otherwise = [&] {
    for (const Node clause : n.children())
      if (clause.is(NodeKind::else_clause)) return block(clause.child(Field::body_field), s);
    return Flow::normal;
  };
  bool of_groups = false;
  for (const Node c : n.children()) of_groups = of_groups || c.kind_name() == "except_group_clause";
  if (clauses.empty()) {
    const Flow flow = block(body, s);
    if (of_groups && flow == Flow::raised) {
      m.abandon("except* is not followed", m.exception_text(), s->module, n);
      return Flow::normal;
    }
    return after_try(n, of_groups && flow == Flow::normal ? otherwise() : flow, s);
  }
  Journal journal;
  journal.serial = ++m.fork_serial_;
  journals_.push_back(&journal);
  const std::size_t uncertain = m.uncertain_;
  const std::size_t failed = failed_.size();
  ++try_depth_;
  Flow flow = block(body, s);
  journals_.pop_back();
  const Value error = m.exception_;
  const bool sure = flow != Flow::raised || is_sure_of_error();
  if (m.uncertain_ != uncertain && !m.current_launch_ && !stopped_) {
    const auto known = [&](Flow ended) {
      if (ended != Flow::raised) return ended == Flow::normal ? otherwise() : ended;
      m.take_up_error(error);
      return sure ? handle(n, s) : any_handler(clauses, 0, s);
    };
    flow = perhaps_failed(
        journal, flow, failed, known, [&] { return any_handler(clauses, 0, s); },
        "the try at line " + std::to_string(n.line()), s);
  } else if (flow == Flow::raised) {
    pass_on(journal);
    flow = sure ? handle(n, s) : any_handler(clauses, 0, s);
  } else {
    pass_on(journal);
    if (flow == Flow::normal) flow = otherwise();
  }
  if (--try_depth_ == 0) failed_.clear();
  return after_try(n, flow, s);
}

/// The type of the error under way is known, and with it which clauses take it.
bool Machine::Interpreter::is_sure_of_error() const {
  if (m.current_launch_ || ends_process()) return true;
  const Record* record = m.exception_.as<Record>();
  return record ? record->kind == "exception" : m.exception_.as<Instance>() != nullptr;
}

/// What ran to its end may have ended before that, with an error of a type that is not known: both are
/// followed. `journal` holds what it changed.
Flow Machine::Interpreter::perhaps_failed(Journal& journal, Flow flow, std::size_t failed_before,
                                          const AfterBody& after, const std::function<Flow()>& handler,
                                          const std::string& what, Scope* s) {
  std::set<std::pair<Slots*, Symbol>> written, passing;  // passing: had a value that was written over
  for (const Write& w : journal.writes)
    if (!written.emplace(w.slots, w.name).second) passing.emplace(w.slots, w.name);
  const Outcome done = taken_back(journal, flow);
  const std::vector<Outcome> failed(
      failed_.begin() + static_cast<std::ptrdiff_t>(std::min(failed_before, failed_.size())), failed_.end());
  return fork(
      [&] {
        take(done);
        result_ = done.result;
        return after(done.flow);
      },
      [&] {
        unsettle(done, passing, what);
        for (const Outcome& one : failed) merge(one, Outcome{}, what);
        m.raise("an error in " + what, {}, s->module);
        if (Record* error = m.exception_.as<Record>())
          m.set_field(error, "message", m.unknown("which error it is is not known"));
        return handler();
      },
      "an error in " + what, s);
}

/// How much of it was done is not known.
void Machine::Interpreter::unsettle(const Outcome& done, const std::set<std::pair<Slots*, Symbol>>& passing,
                                    const std::string& what) {
  changed_some_times(done, what);
  for (const auto& [slots, name] : passing) {
    const Value out = m.unknown("changes in " + what, m.name_of(name));
    out.as<Unknown>()->changed = true;
    m.set(*slots, name, out);
  }
  for (const auto& saved : done.lists) lose_content(saved.container);
  for (const auto& saved : done.dicts) lose_content(saved.container);
  for (const auto& saved : done.sets) lose_content(saved.container);
}

Flow Machine::Interpreter::handle(Node n, Scope* s) {
  if (ends_process()) return Flow::raised;
  for (const Node clause : n.children())
    if (clause.is(NodeKind::except_clause) && handles(clause, s)) return run_handler(clause, s);
  return Flow::raised;
}

/// One of the handlers, which is not known.
Flow Machine::Interpreter::any_handler(const std::vector<Node>& clauses, std::size_t at, Scope* s) {
  const Value exception = m.exception_;
  const auto run = [&] {
    m.exception_ = exception;
    return run_handler(clauses[at], s);
  };
  if (at + 1 >= clauses.size()) return run();
  return fork(
      run,
      [&] {
        m.exception_ = exception;
        return any_handler(clauses, at + 1, s);
      },
      "which error it is", s);
}

Flow Machine::Interpreter::run_handler(Node clause, Scope* s) {
  m.raising_ = false;
  handled_.push_back(m.exception_);
  const auto parts = clause.children().all();
  const bool named = !parts.empty() && parts.front().is(NodeKind::as_pattern);
  if (named) bind(parts.front().child(Field::alias_field), m.exception_, s);
  Flow flow = Flow::normal;
  for (const Node part : parts)
    if (part.is(NodeKind::block)) flow = block(part, s);
  handled_.pop_back();
  if (named && !m.raising_)
    m.set(s->names, m.symbol(parts.front().child(Field::alias_field).text()), Value());
  return flow;
}

Flow Machine::Interpreter::after_try(Node n, Flow flow, Scope* s) {
  Node finally;
  for (const Node clause : n.children())
    if (clause.is(NodeKind::finally_clause)) finally = clause;
  if (!finally || (flow == Flow::raised && ends_process())) return flow;
  const bool raising = m.raising_;
  const Value kept = result_, exception = m.exception_;
  m.raising_ = false;
  for (const Node part : finally.children())
    if (part.is(NodeKind::block)) {
      const Flow last = block(part, s);
      if (last != Flow::normal) return last;
    }
  m.raising_ = raising;
  if (raising) m.exception_ = exception;
  result_ = kept;
  return flow;
}

bool Machine::Interpreter::handles(Node clause, Scope* s) {
  const auto parts = clause.children().all();
  if (parts.empty() || parts.front().is(NodeKind::block)) return true;
  const Node type =
      parts.front().is(NodeKind::as_pattern) ? parts.front().children().all().front() : parts.front();
  const Value exception = m.exception_;
  m.raising_ = false;
  const Value wanted = expression(type, s);
  if (m.raising_) return false;  // the clause itself ends with an error
  m.exception_ = exception;
  const bool out = caught_by(wanted);
  m.raising_ = true;
  return out;
}

Flow Machine::Interpreter::raise_statement(Node n, Scope* s) {
  const auto parts = n.children().all();
  if (parts.empty()) {
    if (handled_.empty()) {
      m.raise_error("RuntimeError", "No active exception to reraise", n, s->module);
    } else {
      m.exception_ = handled_.back();
      m.raising_ = true;
    }
    return Flow::raised;
  }
  Value raised = expression(parts.front(), s);
  if (m.raising_) return Flow::raised;
  if (raised.as<Class>()) raised = call(raised, {}, {}, parts.front(), s->module);
  if (m.raising_) return Flow::raised;
  if (raised.is_number() || raised.is_none() || raised.as<Text>()) {
    m.raise_error("TypeError", "exceptions must derive from BaseException", n, s->module);
    return Flow::raised;
  }
  m.raise("raised at line " + std::to_string(n.line()), n, s->module);
  m.own_raise_ = true;
  Record* record = m.exception_.as<Record>();
  if (raised.as<Instance>()) {
    m.exception_ = raised;
  } else if (Record* given = raised.as<Record>()) {
    m.exception_ = given;
  } else if (const External* type = raised.as<External>()) {
    record->path = type->path;
    if (is_exception_name(type->leaf())) record->kind = "exception";
    m.set_field(record, "args", m.tuple({}));
    if (type->path == "builtins.SystemExit") m.set_field(record, "message", m.text(exit_text));
  }
  return Flow::raised;
}

Flow Machine::Interpreter::assert_statement(Node n, Scope* s) {
  const auto parts = n.children().all();
  if (parts.empty()) return Flow::normal;
  const Value condition = expression(parts.front(), s);
  if (m.raising_) return Flow::raised;
  if (m.truth(condition) != Truth::no) return Flow::normal;
  m.raise("the assertion at line " + std::to_string(n.line()) +
              " does not hold: " + std::string(parts.front().text().substr(0, 120)),
          n, s->module);
  m.exception_.as<Record>()->kind = "exception";
  m.exception_.as<Record>()->path = "builtins.AssertionError";
  if (parts.size() == 1) m.set_field(m.exception_.as<Record>(), "args", m.tuple({}));
  if (parts.size() < 2) return Flow::raised;
  const Value failed = m.exception_;
  m.raising_ = false;
  const Value said = expression(parts[1], s);
  if (m.raising_) return Flow::raised;
  m.exception_ = failed;
  m.raising_ = true;
  m.set_field(failed.as<Record>(), "args", m.tuple({said}));
  return Flow::raised;
}

}  // namespace cutelab::reading::machine
