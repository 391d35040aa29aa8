#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "reading/evaluator/folder.h"
#include "reading/models/models.h"

namespace cutelab::reading {
using evidence::Tristate;
using source::Field;
using source::Node;
using NodeKind = source::Kind;

Abstract join(std::vector<Abstract> alternatives) {
  if (alternatives.empty()) return Abstract::unknown("no definition reaches here");
  const bool all_same = std::all_of(alternatives.begin(), alternatives.end(),
                                    [&](const Abstract& a) { return same(a, alternatives.front()); });
  if (all_same || alternatives.size() == 1) return std::move(alternatives.front());
  std::string path;
  bool one_path = true;
  std::vector<std::string> depends_on;
  for (const Abstract& a : alternatives) {
    for (const auto& d : a.depends_on) depends_on.push_back(d);
    if (a.is(Abstract::Kind::none) || a.path.empty()) continue;
    if (!path.empty() && path != a.path) one_path = false;
    if (path.empty()) path = a.path;
  }
  Abstract out = Abstract::unknown("several values are possible", std::move(depends_on));
  if (one_path) out.path = path;
  if (alternatives.size() > 8) alternatives.resize(8);
  for (Abstract& a : alternatives) {
    if (a.is(Abstract::Kind::unknown) && !a.items.empty()) {
      std::vector<Abstract> nested = std::move(a.items);
      for (Abstract& inner : nested) out.items.push_back(std::move(inner));
    } else {
      out.items.push_back(std::move(a));
    }
  }
  return out;
}

const Abstract& Folder::evaluate(Node n, const Frame* frame) {
  if (!n) return nothing_;
  using State = FoldingMemo::State;
  const FoldingMemo::Key key{frame, n.tree(), n.index()};
  FoldingMemo::Slot* slot = &memo_[key];
  const std::size_t size_before = memo_.size();
  if (slot->state == State::known || (depth_ == 0 && slot->answer)) return *slot->answer;
  if (++steps_ > most_steps || depth_ >= deepest) {
    ++cuts_;
    return kept(Abstract::unknown(
        steps_ > most_steps ? "the evaluation's step limit was reached" : "the expression nests too deep", {},
        n));
  }
  if (slot->state == State::evaluating) {
    ++cuts_;
    return kept(Abstract::unknown("defined through itself", {std::string(n.text().substr(0, 60))}, n));
  }
  slot->state = State::evaluating;
  const int cuts_before = cuts_;
  ++depth_;
  const Abstract& value = evaluate_new(n, frame);
  --depth_;
  if (memo_.size() != size_before) slot = &memo_[key];
  slot->state = cuts_ == cuts_before ? State::known : State::empty;
  if (slot->state == State::known || (depth_ == 0 && steps_ <= most_steps)) slot->answer = &value;
  return value;
}

const Abstract& Folder::evaluate_new(Node n, const Frame* frame) {
  switch (n.kind()) {
    case NodeKind::identifier:
      return identifier(n, frame);
    case NodeKind::attribute:
      return kept(attribute(n, frame));
    case NodeKind::call:
      return call(n, frame);
    case NodeKind::subscript:
      return subscript(n, frame);
    case NodeKind::tuple:
    case NodeKind::list:
    case NodeKind::expression_list:
      return kept(sequence(n, frame));
    case NodeKind::parenthesized_expression:
    case NodeKind::type:
      return evaluate(n.first(), frame);
    case NodeKind::named_expression:
      return evaluate(n.child(Field::value_field), frame);
    case NodeKind::conditional_expression:
      return conditional(n, frame);
    case NodeKind::binary_operator:
      return kept(binary(n, frame));
    case NodeKind::unary_operator:
      return kept(unary(n, frame));
    case NodeKind::comparison_operator:
      return kept(comparison(n, frame));
    case NodeKind::boolean_operator:
    case NodeKind::not_operator:
      return kept(boolean_operator(n, frame));
    default:
      return kept(literal(n));
  }
}

Abstract Folder::literal(Node n) {
  switch (n.kind()) {
    case NodeKind::true_literal:
      return Abstract::boolean(true);
    case NodeKind::false_literal:
      return Abstract::boolean(false);
    case NodeKind::none:
      return Abstract::none();
    case NodeKind::integer: {
      const auto value = parse_integer(replace_all(std::string(n.text()), "_", ""));
      return value ? Abstract::integer(*value)
                   : Abstract::unknown("integer literal too large or not decimal", {}, n);
    }
    case NodeKind::float_literal:
      return Abstract::of_real(std::strtod(std::string(n.text()).c_str(), nullptr));
    case NodeKind::string:
    case NodeKind::concatenated_string:
      for (const Node part : n.children())
        if (part.is(NodeKind::interpolation)) return Abstract::unknown("formatted string", {}, n);
      return Abstract::of_text(source::string_value(n));
    default:
      return Abstract::unknown("needs evaluation: " + std::string(n.kind_name()), {}, n);
  }
}

Abstract Folder::sequence(Node n, const Frame* frame) {
  std::vector<Abstract> items;
  for (const Node c : n.children()) {
    if (!c.is(NodeKind::list_splat)) {
      items.push_back(evaluate(c, frame));
      continue;
    }
    const Abstract& inner = evaluate(c.first(), frame);
    if (!inner.is(Kind::tuple)) {
      return Abstract::unknown(inner.known() ? "needs evaluation: unpacking" : inner.text,
                               inner.depends_on.empty()
                                   ? std::vector<std::string>{std::string(c.first().text())}
                                   : inner.depends_on,
                               c);
    }
    items.insert(items.end(), inner.items.begin(), inner.items.end());
  }
  return Abstract::tuple(std::move(items));
}

Abstract Folder::attribute(Node n, const Frame* frame) {
  const Node object_node = n.child(Field::object_field);
  const std::string name(n.child(Field::attribute_field).text());
  const Abstract& object = evaluate(object_node, frame);
  return attribute_of(object, name, n, frame);
}

const Abstract& Folder::subscript(Node n, const Frame* frame) {
  const Abstract& object = evaluate(n.child(Field::value_field), frame);
  const Node index_node = n.child(Field::subscript_field);
  const Abstract& index = index_node.is(NodeKind::slice) ? nothing_ : evaluate(index_node, frame);
  if (object.is(Kind::tuple) && index.is_number()) {
    const auto size = static_cast<std::int64_t>(object.items.size());
    const std::int64_t at = index.number < 0 ? index.number + size : index.number;
    if (at >= 0 && at < size) return object.items[static_cast<std::size_t>(at)];
    return kept(Abstract::unknown("index outside the tuple", {}, n));
  }
  if (object.is(Kind::tuple) && index_node.is(NodeKind::slice))
    return kept(models::sliced(object, index_node));
  Abstract out = object.is(Kind::object)
                     ? Abstract::object("", object.module, object.made_at)
                     : Abstract::unknown(object.known() ? "needs evaluation: subscript" : object.text,
                                         object.depends_on, n);
  out.frame = object.frame;
  if (!object.path.empty())
    out.path = object.path + (index.is_number() ? "[" + std::to_string(index.number) + "]" : "[]");
  if (out.is(Kind::unknown) && out.depends_on.empty())
    out.depends_on.push_back(std::string(n.text().substr(0, 60)));
  return kept(std::move(out));
}

const Abstract& Folder::conditional(Node n, const Frame* frame) {
  const auto parts = n.children().all();
  if (parts.size() != 3) return kept(Abstract::unknown("malformed conditional", {}, n));
  const Tristate chosen = truth(parts[1], frame);
  if (chosen == Tristate::yes) return evaluate(parts[0], frame);
  if (chosen == Tristate::no) return evaluate(parts[2], frame);
  Abstract out = join({evaluate(parts[0], frame), evaluate(parts[2], frame)});
  if (!out.known()) out.depends_on.insert(out.depends_on.begin(), std::string(parts[1].text().substr(0, 80)));
  return kept(std::move(out));
}

Abstract Folder::binary(Node n, const Frame* frame) {
  const Abstract& a = evaluate(n.child(Field::left_field), frame);
  const Abstract& b = evaluate(n.child(Field::right_field), frame);
  return models::arithmetic(n.child(Field::operator_token).text(), a, b, n);
}

Abstract Folder::unary(Node n, const Frame* frame) {
  const Abstract& a = evaluate(n.child(Field::argument_field), frame);
  if (n.child(Field::operator_token).text() != "-")
    return a.is_number() && n.text()[0] == '~' ? Abstract::integer(~a.number) : a;
  if (a.is(Kind::real)) return Abstract::of_real(-a.real);
  return models::arithmetic("-", Abstract::integer(0), a, n);
}

Abstract Folder::comparison(Node n, const Frame* frame) {
  std::vector<Node> operands, operators;
  for (Node c = n.first(); c; c = c.next())
    (c.field() == Field::operators_field ? operators : operands).push_back(c);
  if (operands.size() != operators.size() + 1) return Abstract::unknown("malformed comparison", {}, n);
  Abstract result = Abstract::boolean(true);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Abstract one = models::compare(operators[i].text(), evaluate(operands[i], frame),
                                         evaluate(operands[i + 1], frame), n);
    if (one.is(Kind::boolean) && one.number == 0) return one;
    if (!one.known()) result = one;
  }
  return result;
}

Abstract Folder::boolean_operator(Node n, const Frame* frame) {
  if (n.is(NodeKind::not_operator)) {
    const Tristate t = truth(n.child(Field::argument_field), frame);
    if (t == Tristate::undetermined)
      return evaluate(n.child(Field::argument_field), frame).known()
                 ? Abstract::unknown("needs evaluation", {}, n)
                 : evaluate(n.child(Field::argument_field), frame);
    return Abstract::boolean(t == Tristate::no);
  }
  const bool is_and = n.child(Field::operator_token).text() == "and";
  const Node left = n.child(Field::left_field), right = n.child(Field::right_field);
  const Tristate a = truth(left, frame);
  if (a == (is_and ? Tristate::no : Tristate::yes)) return evaluate(left, frame);
  if (a != Tristate::undetermined) return evaluate(right, frame);
  const Tristate b = truth(right, frame);
  if (b == (is_and ? Tristate::no : Tristate::yes)) return Abstract::boolean(!is_and);
  const Abstract& out = evaluate(left, frame);
  return out.known() ? Abstract::unknown("needs evaluation", {std::string(left.text().substr(0, 80))}, n)
                     : Abstract::unknown(out.text, out.depends_on, n);
}

}  // namespace cutelab::reading
