#include <algorithm>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_expand.h"
#include "reading/cpp/cpp_host.h"

/// Expressions of the host code, calls aside.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr int deepest_expression = 200;
}  // namespace

CppHostRun::Thing* CppHostRun::found(std::string_view name, Scope& scope) const {
  for (Scope* s = &scope; s; s = s->outer) {
    if (const auto one = s->names.find(name); one != s->names.end()) return one->second;
    if (s->self)
      for (auto& [field, one] : s->self->parts)
        if (field == name) return one;
  }
  return nullptr;
}

/// The function, class or template around a place: outside of it, its names stand for other things.
Node CppHostRun::seen_from(Node n) {
  Node out;
  for (Node up = n; up; up = up.parent())
    if (up.is(NodeKind::function_definition) || up.is(NodeKind::struct_specifier) ||
        up.is(NodeKind::class_specifier) || up.is(NodeKind::template_declaration))
      out = up;
  return out;
}

/// What folding makes of an expression that writes to nothing, with the values of what is in sight.
CppValue CppHostRun::fold(Node n, Scope& scope) {
  CppFolder::Frame frame;
  frame.scope = seen_from(n);
  for (Scope* s = &scope; s; s = s->outer) {
    for (const auto& [name, one] : s->names) frame.names.try_emplace(std::string(name), value_of(one));
    if (s->self)
      for (const auto& [name, one] : s->self->parts) frame.names.try_emplace(name, value_of(one));
  }
  for (std::uint32_t i = n.index(); i < n.end_index(); ++i)
    if (const Node name = tree_.at(i); name.is(NodeKind::identifier) && !frame.names.count(name.text()))
      if (const Thing* one = global(name)) frame.names.try_emplace(std::string(name.text()), value_of(one));
  folder_.statements_ = 0;
  return folder_.evaluate(n, &frame);
}

/// Whether nothing in an expression writes or runs: folding may have all of it.
bool CppHostRun::is_plain(Node n) const {
  for (std::uint32_t i = n.index(); i < n.end_index(); ++i) {
    const Node inner = tree_.at(i);
    const std::string_view kind = inner.kind_name();
    if (inner.is(NodeKind::call_expression) || inner.is(NodeKind::assignment_expression) ||
        inner.is(NodeKind::lambda_expression) || inner.is(NodeKind::subscript_expression) ||
        inner.is(NodeKind::pointer_expression) || inner.is(NodeKind::initializer_list) ||
        kind == "update_expression" || kind == "new_expression" || kind == "this" ||
        kind == "comma_expression" || kind == "delete_expression" || inner.is(NodeKind::error))
      return false;
  }
  return true;
}

/// Whether an expression is the same whatever was written before.
bool CppHostRun::is_fixed(Node n) const {
  for (std::uint32_t i = n.index(); i < n.end_index(); ++i)
    if (tree_.at(i).is(NodeKind::identifier) || tree_.at(i).is(NodeKind::call_expression)) return false;
  return true;
}

CppHostRun::Thing* CppHostRun::folded(Node n, Scope& scope) { return of_value(fold(n, scope)); }

CppHostRun::Thing* CppHostRun::eval(Node n, Scope& scope) {
  if (stopped_ || !n) return n ? unknown() : stop(n);
  if (depth_ > deepest_expression) {
    give_up("expressions that are nested too deep");
    return unknown();
  }
  for (Node part = n.first(); part; part = part.next())
    if (part.is(NodeKind::error)) return stop(n);
  ++depth_;
  Thing* out = eval_new(n, scope);
  --depth_;
  return out;
}

CppHostRun::Thing* CppHostRun::eval_literal(Node n) {
  if (n.is(NodeKind::char_literal)) return typed(folder_.evaluate(n, nullptr), "char");
  if (!n.is(NodeKind::number_literal))
    return typed(CppValue::of(std::int64_t{n.is(NodeKind::true_literal)}), "bool");
  CppValue value = cpp_literal(n.text());
  const std::string_view type = value.integer() ? host_type_of(value) : std::string_view();
  return typed(std::move(value), type);
}

CppHostRun::Thing* CppHostRun::eval_unary(Node n, Scope& scope) {
  const Thing* given = eval(n.child(Field::argument_field), scope);
  if (given->is(Kind::value) && given->value.integer()) {
    const CppValue out = cpp_unary(n.first().text(), given->value);
    return typed(out, n.first().text() == "!" ? "bool" : host_type_of(out));
  }
  if (given->is(Kind::record)) return stop(n);
  if (given->is(Kind::pointer) && n.first().text() == "!") return typed(CppValue::of(0), "bool");
  return unknown("is not known", n);
}

CppHostRun::Thing* CppHostRun::eval_new(Node n, Scope& scope) {
  switch (n.kind()) {
    case NodeKind::identifier:
    case NodeKind::type_identifier:
      return eval_name(n, scope);
    case NodeKind::number_literal:
    case NodeKind::char_literal:
    case NodeKind::true_literal:
    case NodeKind::false_literal:
      return eval_literal(n);
    case NodeKind::parenthesized_expression:
      return eval(cpp_items(n).empty() ? Node() : cpp_items(n)[0], scope);
    case NodeKind::condition_clause:
      return eval(n.child(Field::value_field), scope);
    case NodeKind::call_expression:
      return eval_call(n, scope);
    case NodeKind::assignment_expression:
      return eval_assignment(n, scope);
    case NodeKind::binary_expression:
      return eval_binary(n, scope);
    case NodeKind::pointer_expression:
      return eval_pointer(n, scope);
    case NodeKind::subscript_expression:
      return eval_subscript(n, scope);
    case NodeKind::field_expression:
      return eval_field(n, scope);
    case NodeKind::lambda_expression:
      return eval_lambda(n, scope);
    case NodeKind::cast_expression:
      return eval_cast(n.child(Field::type_field), n.child(Field::value_field), scope);
    case NodeKind::conditional_expression: {
      const Thing* told = eval(n.child(Field::condition_field), scope);
      const Node then = n.child(Field::consequence_field), otherwise = n.child(Field::alternative_field);
      if (told->is(Kind::value) && told->value.integer())
        return eval(*told->value.integer() ? then : otherwise, scope);
      poison_mentioned(then, scope);
      poison_mentioned(otherwise, scope);
      return unknown("a condition that is not told", n);
    }
    case NodeKind::unary_expression:
      return eval_unary(n, scope);
    default:
      break;
  }
  return eval_other(n, scope);
}

/// Kinds of expressions that are asked for by the grammar's own names.
CppHostRun::Thing* CppHostRun::eval_other(Node n, Scope& scope) {
  const std::string_view kind = n.kind_name();
  if (kind == "update_expression") return eval_update(n, scope);
  if (kind == "comma_expression") {
    eval(n.child(Field::left_field), scope);
    return eval(n.child(Field::right_field), scope);
  }
  if (kind == "this") {
    for (Scope* s = &scope; s; s = s->outer)
      if (s->self) {
        Thing* out = made(Kind::pointer);
        out->target = s->self;
        return out;
      }
    return stop(n);
  }
  if (kind == "compound_literal_expression") {
    const Node type = n.child(Field::type_field), value = n.child(Field::value_field);
    return declared_object(type, Node(), value, scope);
  }
  if (kind == "string_literal" || kind == "concatenated_string" || kind == "raw_string_literal" ||
      kind == "null" || kind == "nullptr")
    return kind[0] == 'n' ? of_value(CppValue::of(0)) : unknown("a text", n);
  if (kind == "delete_expression") return poison(eval(cpp_items(n).back(), scope)), unknown();
  if (kind == "sizeof_expression" || is_plain(n)) return folded(n, scope);
  return stop(n);
}

CppHostRun::Thing* CppHostRun::eval_name(Node n, Scope& scope) {
  if (Thing* one = found(n.text(), scope)) return one;
  if (Thing* one = global(n)) return one;
  if (n.text() == cpp_open_place) return stop(n);
  if (const auto functions = folder_.functions_.find(n.text());
      functions != folder_.functions_.end() && !folder_.choose(n.text(), n)) {
    if (functions->second.size() != 1) return unknown("one of several functions", n);
    Thing* out = made(Kind::function);
    out->node = functions->second[0];
    return out;
  }
  Thing* out = folded(n, scope);
  const Node declaration = folder_.choose(n.text(), n).parent();  // of a constant
  if (const Node type = declaration.child(Field::type_field); out->is(Kind::value) && out->value.integer() &&
                                                              declaration.is(NodeKind::declaration) &&
                                                              cpp_integer_type(type.text()))
    out->holds = type.text();
  return out;
}

/// An array as a pointer to its first element.
CppHostRun::Thing* CppHostRun::begin_of(Thing* array) {
  Thing* out = made(Kind::pointer);
  out->target = array;
  out->index = 0;
  return out;
}

CppHostRun::Thing* CppHostRun::eval_binary(Node n, Scope& scope) {
  const std::string_view op = n.child(Field::operator_token).text();
  const Node left = n.child(Field::left_field), right = n.child(Field::right_field);
  if (op == "&&" || op == "||") {
    const Thing* first = eval(left, scope);
    const auto is = first->is(Kind::value) ? first->value.integer() : std::nullopt;
    if (!is && !stopped_) {
      poison_mentioned(right, scope);
      return unknown("a condition that is not told", n);
    }
    if (stopped_ || (op == "&&") == (*is == 0))
      return typed(CppValue::of(std::int64_t{stopped_ || *is != 0}), "bool");
    const Thing* second = eval(right, scope);
    if (second->is(Kind::pointer)) return typed(CppValue::of(1), "bool");
    if (!second->is(Kind::value) || !second->value.integer())
      return unknown("a condition that is not told", n);
    return typed(CppValue::of(std::int64_t{*second->value.integer() != 0}), "bool");
  }
  const bool ordered = op == "<<" || op == ">>";
  Mark first{things_.size()}, second{things_.size()};
  marks_.push_back(&first);
  Thing* a = eval(left, scope);
  const CppValue held = value_of(a);
  marks_.back() = &second;
  Thing* b = eval(right, scope);
  marks_.pop_back();
  if (stopped_) return unknown();
  if (!ordered && ((first.wrote && !is_fixed(right)) || (second.wrote && !is_fixed(left)))) return stop(n);
  if (op == ">>" && !a->value.integer()) return poison(b), a;
  if (a->is(Kind::array) && !a->grows) a = begin_of(a);
  if (a->is(Kind::pointer) && b->is(Kind::value) && b->value.integer() && (op == "+" || op == "-")) {
    Thing* out = copy(a);
    if (out->index < 0) return poison(a), unknown("a pointer that is not told", n);
    out->index += op == "+" ? *b->value.integer() : -*b->value.integer();
    return out;
  }
  const bool of_class = (a->is(Kind::record) && a->value.node) || (b->is(Kind::record) && b->value.node);
  if (of_class && folder_.functions_.count("operator" + std::string(op))) return stop(n);
  if (ordered && a->is(Kind::unknown)) return a;  // a stream
  if (!held.integer() || !b->is(Kind::value) || !b->value.integer()) {
    for (Thing* one : {a, b})  // what a pointer becomes may point there
      if (one->is(Kind::pointer) || one->is(Kind::array) || one->is(Kind::closure)) poison(one);
    if (is_plain(n)) return folded(n, scope);
    return unknown("is not known", n);
  }
  const CppValue out = cpp_arithmetic(op, held, b->value);
  const bool compares = op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=";
  return typed(out, compares ? "bool" : host_type_of(out));
}

CppHostRun::Thing* CppHostRun::eval_assignment(Node n, Scope& scope) {
  const Node right = n.child(Field::right_field);
  std::string_view op = n.child(Field::operator_token).text();
  const bool listed = right.is(NodeKind::initializer_list);
  Thing* given = nullptr;
  if (!listed) given = copy(eval(right, scope));
  Thing* target = eval(n.child(Field::left_field), scope);
  if (stopped_) return unknown();
  if (target->is(Kind::record) && target->value.node && !is_copied_by_member(target->value.node))
    return stop(n);
  if (listed) {
    Things items;
    for (const Node one : cpp_items(right)) items.push_back(eval(one, scope));
    if (target->is(Kind::record) && target->value.text == "dim3")
      given = extents(items);
    else if (!target->is(Kind::record) && items.size() == 1)
      given = items[0];
    else
      return stop(n);
  }
  if (op == "=") {
    assign(target, given);
    return target;
  }
  op.remove_suffix(1);
  if (target->is(Kind::pointer) && given->value.integer() && target->index >= 0) {
    wrote(target);
    target->index += op == "+" ? *given->value.integer() : -*given->value.integer();
    return target;
  }
  if (target->is(Kind::record)) return stop(n);
  const CppValue held = value_of(target);
  if (held.integer() && given->is(Kind::value) && given->value.integer())
    assign(target, of_value(cpp_arithmetic(op, held, given->value)));
  else
    assign(target, unknown("is not known", n));
  return target;
}

CppHostRun::Thing* CppHostRun::eval_update(Node n, Scope& scope) {
  Thing* target = eval(n.child(Field::argument_field), scope);
  if (stopped_ || target->is(Kind::record)) return stop(n);
  const bool before = n.first().is(NodeKind::op), up = cpp_has(n.child(Field::operator_token).text(), "+");
  Thing* old = copy(target);
  if (target->is(Kind::pointer) && target->index >= 0) {
    wrote(target);
    target->index += up ? 1 : -1;
  } else if (target->is(Kind::value) && target->value.integer()) {
    assign(target, of_value(cpp_arithmetic(up ? "+" : "-", target->value, CppValue::of(1))));
  } else {
    assign(target, unknown("is not known", n));
  }
  return before ? target : old;
}

CppHostRun::Thing* CppHostRun::eval_cast(Node type, Node given, Scope& scope) {
  Thing* one = eval(given, scope);
  if (stopped_) return one;
  if (type.text() == "void") return one;
  if (cpp_has(type.text(), "&") || cpp_has(type.text(), "*")) {
    const Node held = type.is(NodeKind::type_descriptor) ? type.child(Field::type_field) : type;
    Thing* behind = cpp_has(type.text(), "*") ? pointed(one) : one;
    if (behind && !behind->holds.empty() && held.text() == behind->holds) return one;
    if (cpp_has(type.text(), "void") || !behind) return one;
    poison(one);
    return unknown("an object as one of another type", type);
  }
  if (one->is(Kind::value) && one->value.integer()) {
    Scope& inner = scopes_.emplace_back(Scope{&scope});
    return converted(one, type.is(NodeKind::type_descriptor) ? type.child(Field::type_field) : type, inner);
  }
  return one->is(Kind::pointer) || one->is(Kind::record) ? stop(type) : unknown("is not known", type);
}

}  // namespace cutelab::reading
