#include <functional>

#include "reading/machine/fork.h"

// Expressions of which one side is evaluated, or a further one.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

Value Machine::Interpreter::conditional(Node n, Scope* s) {
  const auto parts = n.children().all();
  if (parts.size() != 3) return unknown_at("malformed conditional", n);
  const Value condition = expression(parts[1], s);
  if (m.raising_) return {};
  switch (m.truth(condition)) {
    case Truth::yes:
      return expression(parts[0], s);
    case Truth::no:
      return expression(parts[2], s);
    case Truth::unknown:
      break;
  }
  return either([&] { return expression(parts[0], s); }, [&] { return expression(parts[2], s); },
                std::string(parts[1].text().substr(0, 100)), s);
}

/// One of two expressions, which is not known: what they change is joined as that of branches is.
Value Machine::Interpreter::either(const std::function<Value()>& a, const std::function<Value()>& b,
                                   const std::string& condition, Scope* s) {
  Value first, second;
  bool by_first = false, by_second = false;
  const auto side = [&](const std::function<Value()>& run, Value& value, bool& whole) {
    value = run();
    whole = !m.raising_;
    return whole ? Flow::normal : Flow::raised;
  };
  const Value result = result_;
  fork([&] { return side(a, first, by_first); }, [&] { return side(b, second, by_second); }, condition, s);
  result_ = result;
  if (m.raising_) return {};
  return by_first && by_second ? join(first, second, condition) : by_first ? first : second;
}

Value Machine::Interpreter::boolean_operator(Node n, Scope* s) {
  if (n.is(NodeKind::not_operator)) {
    const Value v = expression(n.child(Field::argument_field), s);
    if (m.raising_) return {};
    const Truth t = m.truth(v);
    return t == Truth::unknown ? (v.is_unknown() ? v : unknown_at("not known", n))
                               : Value::boolean(t == Truth::no);
  }
  const bool is_and = n.child(Field::operator_token).text() == "and";
  const Value a = expression(n.child(Field::left_field), s);
  if (m.raising_) return {};
  const Truth first = m.truth(a);
  if (first == (is_and ? Truth::no : Truth::yes)) return a;
  if (m.raising_) return {};
  const auto right = [&] { return expression(n.child(Field::right_field), s); };
  if (first != Truth::unknown) return right();
  Value b;
  either(
      [&] {
        b = right();
        return b;
      },
      [&] { return a; }, std::string(n.child(Field::left_field).text().substr(0, 100)), s);
  if (m.raising_) return {};
  if (b.bound() && m.truth(b) == (is_and ? Truth::no : Truth::yes)) {
    if (m.current_launch_) return Value::boolean(!is_and);
    const Value out = unknown_at("not known", n);
    out.as<Unknown>()->holds = !is_and;
    return aliased(out, {a, b});
  }
  return aliased(a.is_unknown() ? a : unknown_at("not known", n), {a, b});
}

}  // namespace cutelab::reading::machine
