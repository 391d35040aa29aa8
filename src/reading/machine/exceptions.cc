#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

Flow Machine::Interpreter::with_statement(Node n, Scope* s) {
  for (const Node clause : n.children()) {
    if (clause == n.child(Field::body_field)) break;
    for (const Node item : clause.children()) {
      if (!item.is(NodeKind::with_item)) continue;
      const Node value = item.child(Field::value_field);
      const bool named = value.is(NodeKind::as_pattern);
      const Value context = expression(named ? value.children().all().front() : value, s);
      if (m.raising_) return Flow::raised;
      if (!named) continue;
      const auto yielded = context.as<List>();  // a generator-based manager gave its yields
      bind(value.child(Field::alias_field),
           yielded && yielded->items.size() == 1 ? yielded->items.front() : context, s);
    }
  }
  return block(n.child(Field::body_field), s);
}

Flow Machine::Interpreter::try_statement(Node n, Scope* s) {
  Flow flow = block(n.child(Field::body_field), s);
  Node finally;
  if (flow == Flow::raised) {
    for (const Node clause : n.children()) {
      if (!clause.is(NodeKind::except_clause) || !handles(clause, s)) continue;
      m.raising_ = false;
      flow = Flow::normal;
      for (const Node part : clause.children())
        if (part.is(NodeKind::block)) flow = block(part, s);
      break;
    }
  } else if (flow == Flow::normal) {
    for (const Node clause : n.children())
      if (clause.is(NodeKind::else_clause)) flow = block(clause.child(Field::body_field), s);
  }
  for (const Node clause : n.children())
    if (clause.is(NodeKind::finally_clause)) finally = clause;
  if (!finally) return flow;
  const bool raising = m.raising_;
  const Value kept = result_;
  m.raising_ = false;
  for (const Node part : finally.children())
    if (part.is(NodeKind::block)) {
      const Flow last = block(part, s);
      if (last != Flow::normal) return last;
    }
  m.raising_ = raising;
  result_ = kept;
  return flow;
}

bool Machine::Interpreter::handles(Node clause, Scope* s) {
  const auto parts = clause.children().all();
  if (parts.empty() || parts.front().is(NodeKind::block)) return true;
  Node type = parts.front();
  if (type.is(NodeKind::as_pattern)) {
    const Node alias = type.child(Field::alias_field);
    type = type.children().all().front();
    const bool raising = m.raising_;
    m.raising_ = false;
    bind(alias, m.exception_, s);
    m.raising_ = raising;
  }
  std::string raised = "Exception";
  if (const Record* r = m.exception_.as<Record>()) {
    const auto dot = r->path.rfind('.');
    raised = dot == std::string::npos ? r->path : r->path.substr(dot + 1);
  }
  const std::string_view text = type.text();
  if (text.find("Exception") != std::string_view::npos || text.find(raised) != std::string_view::npos ||
      raised == "Exception")
    return true;
  if (const Instance* instance = m.exception_.as<Instance>()) return derives_from(instance->klass, text);
  return raised == "ModuleNotFoundError" && text.find("ImportError") != std::string_view::npos;
}

Flow Machine::Interpreter::raise_statement(Node n, Scope* s) {
  const auto parts = n.children().all();
  if (parts.empty()) {
    m.raising_ = true;
    return Flow::raised;
  }
  const Value raised = expression(parts.front(), s);
  if (m.raising_) return Flow::raised;
  m.raise("raised at line " + std::to_string(n.line()), n, s->module);
  Record* record = m.exception_.as<Record>();
  if (raised.as<Instance>()) {
    m.exception_ = raised;
  } else if (Record* given = raised.as<Record>()) {
    m.exception_ = given;
  } else if (const External* type = raised.as<External>()) {
    record->path = type->path;
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
  return Flow::raised;
}

}  // namespace cutelab::reading::machine
