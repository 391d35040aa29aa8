#include "reading/machine/containers.h"
#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

bool Machine::Interpreter::comprehend(const std::vector<Node>& clauses, std::size_t at, Node body, Scope* s,
                                      std::vector<Value>& out) {
  if (at == clauses.size()) {
    if (body.is(NodeKind::pair)) {
      out.push_back(expression(body.child(Field::key_field), s));
      if (m.raising_) return false;
      out.push_back(expression(body.child(Field::value_field), s));
    } else {
      out.push_back(expression(body, s));
    }
    return !m.raising_ && out.size() < 100'000;
  }
  if (clauses[at].is(NodeKind::if_clause)) {
    const Value condition = expression(clauses[at].children().all().front(), s);
    if (m.raising_) return false;
    const Truth t = m.truth(condition);
    if (t == Truth::unknown) return false;
    return t == Truth::no || comprehend(clauses, at + 1, body, s, out);
  }
  Scope* of = at == 0 && s->parent ? s->parent : s;  // the first is looked at outside
  const Value iterable = expression(clauses[at].child(Field::right_field), of);
  if (!m.raising_) must_be_iterable(iterable, clauses[at], s->module);
  auto walked = m.raising_ ? std::nullopt : walk(iterable);
  if (!walked || m.raising_) return false;
  Value item;
  for (;;) {
    const Step step = next(*walked, item);
    if (step != Step::item) return step == Step::end;
    bind(clauses[at].child(Field::left_field), item, s);
    if (m.raising_) return false;
    if (comprehend(clauses, at + 1, body, s, out)) continue;
    if (Iterator* it = walked->source.as<Iterator>(); it && !m.raising_) m.lose(it);
    return false;
  }
}

Value Machine::Interpreter::comprehension(Node n, Scope* s) {
  if (n.is(NodeKind::generator_expression)) return generator_expression(n, s);
  const Node body = n.child(Field::body_field);
  std::vector<Node> clauses;
  for (const Node c : n.children())
    if (!(c == body)) clauses.push_back(c);
  Scope* inner = inner_scope(s);
  std::vector<Value> out;
  library_depth += s->lazy ? 1 : 0;
  const bool known = comprehend(clauses, 0, body, inner, out);
  library_depth -= s->lazy ? 1 : 0;
  if (m.raising_) return {};
  if (!known) any_times(clauses, body, inner);
  if (!known) return unknown_at("a comprehension over values not known", n);
  if (n.is(NodeKind::dictionary_comprehension)) {
    DictFiller made(m);
    for (std::size_t i = 0; i + 1 < out.size(); i += 2) made.put(out[i], out[i + 1]);
    return made.dict();
  }
  if (n.is(NodeKind::set_comprehension)) {
    SetFiller made(m);
    for (const Value& item : out) made.put(item);
    return made.set();
  }
  return m.list(std::move(out));
}

}  // namespace cutelab::reading::machine
