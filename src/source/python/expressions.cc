#include "source/python/operators.h"
#include "source/python/parser.h"

namespace cutelab::source::python {

void Parser::expression(Named named) {
  const Nested nested(*this);
  if (is(Tok::k_lambda)) return lambda();
  const Mark mark = start();
  disjunction();
  expression_tail(mark, named);
}

/// What may follow a disjunction that began at `mark`: `:= value`, `if condition else other`. The grammar
/// binds `x := a if b else c` as `(x := a) if b else c`.
void Parser::expression_tail(Mark mark, Named named) {
  if (is(Tok::walrus)) {
    if (named == Named::no || !is_single(mark, Shape::identifier)) return fail();
    set_field(Field::name_field);
    advance();
    if (is(Tok::k_lambda))
      lambda();
    else
      disjunction();
    set_field(Field::value_field);
    close(Shape::named_expression, mark);
  }
  if (!is(Tok::k_if)) return;
  advance();
  disjunction();
  expect(Tok::k_else);
  expression();
  close(Shape::conditional_expression, mark);
}

void Parser::operators(int least) {
  const Nested nested(*this);
  const Mark mark = start();
  switch (token_.kind) {
    case Tok::k_not:
      if (least > strength::negation) return fail();
      advance();
      operators(strength::negation);
      set_field(Field::argument_field);
      close(Shape::not_operator, mark);
      break;
    case Tok::plus:
      prefix(Shape::op_plus);
      break;
    case Tok::minus:
      prefix(Shape::op_minus);
      break;
    case Tok::tilde:
      prefix(Shape::op_tilde);
      break;
    case Tok::word_await:
      advance();
      operators(strength::sign);
      close(Shape::await, mark);
      break;
    default:
      primary();
  }
  operators_tail(mark, least);
}

void Parser::prefix(Shape sign) {
  const Mark mark = start();
  operator_leaf(sign, Field::operator_token);
  operators(strength::sign);
  set_field(Field::argument_field);
  close(Shape::unary_operator, mark);
}

/// Binary operators of at least that strength behind an operand that began at `mark`.
void Parser::operators_tail(Mark mark, int least) {
  for (;;) {
    const Operator found = binary_operator_of[static_cast<std::size_t>(token_.kind)];
    if (found.strength < least || found.strength == strength::none) return;
    if (found.strength == strength::comparison) {
      comparison(mark);
      continue;
    }
    set_field(Field::left_field);
    operator_leaf(found.shape, Field::operator_token);
    operators(found.strength == strength::power ? strength::power : found.strength + 1);
    set_field(Field::right_field);
    close(found.strength <= strength::conjunction ? Shape::boolean_operator : Shape::binary_operator, mark);
  }
}

void Parser::disjunction() { operators(strength::disjunction); }

/// One node for a whole chain: `a < b <= c`.
void Parser::comparison(Mark mark) {
  while (comparison_sign()) operators(strength::bit_or);
  close(Shape::comparison_operator, mark);
}

bool Parser::comparison_sign() {
  const Operator found = binary_operator_of[static_cast<std::size_t>(token_.kind)];
  if (found.strength != strength::comparison) return false;
  if (!is(Tok::k_not) && !is(Tok::k_is)) {
    operator_leaf(found.shape, Field::operators_field);
    return true;
  }
  const Mark mark = start();
  const bool negated = is(Tok::k_not);
  advance();
  Shape shape = Shape::op_k_is;
  if (negated) {
    expect(Tok::k_in);
    shape = Shape::op_not_in;
  } else if (accept(Tok::k_not)) {
    shape = Shape::op_is_not;
  }
  close(shape, mark);
  set_field(Field::operators_field);
  return true;
}

void Parser::lambda() {
  const Mark mark = start();
  advance();
  if (!is(Tok::colon)) {
    const Mark list = start();
    parameters(Tok::colon, false);
    close(Shape::lambda_parameters, list);
    set_field(Field::parameters_field);
  }
  expect(Tok::colon);
  expression();
  set_field(Field::body_field);
  close(Shape::lambda, mark);
}

void Parser::yield() {
  const Mark mark = start();
  advance();
  if (accept(Tok::k_from))
    expression();
  else if (begins_expression())
    expression_or_list();
  close(Shape::yield, mark);
}

/// Whether the current token can begin an expression or `*name`: what stands behind a bare `return` or
/// `yield` cannot.
bool Parser::begins_expression() const {
  switch (token_.kind) {
    case Tok::end:
    case Tok::bad:
    case Tok::newline:
    case Tok::semicolon:
    case Tok::rparen:
    case Tok::rbracket:
    case Tok::rbrace:
    case Tok::assign:
    case Tok::colon:
    case Tok::conversion:
    case Tok::k_from:
      return false;
    default:
      return true;
  }
}

/// `*name` as an assignment target.
void Parser::splat_name() {
  const Mark mark = start();
  advance();
  if (!is_name(token_.kind)) return fail();
  leaf(Shape::identifier);
  close(Shape::list_splat, mark);
}

/// `*name` as an operand: outside of displays and argument lists the grammar binds the star closest, so that
/// `*a.b + c` is `((*a).b) + c`. True when an attribute or a subscript is taken of it.
bool Parser::splat_operand() {
  const Nested nested(*this);
  const Mark mark = start();
  splat_name();
  bool member = false;
  do member = member || is(Tok::dot) || is(Tok::lbracket);
  while (postfix(mark));
  operators_tail(mark, 1);
  expression_tail(mark, Named::no);
  note_splat(mark, true);
  return member;
}

/// With one oddly bound splat the grammar's other choices in the same statement depend on it.
void Parser::note_splat(Mark mark, bool odd) {
  if (nodes_.size() <= mark.index + 2) return;
  ++splats_.all;
  splats_.odd += odd ? 1 : 0;
  if (splats_.odd > 0 && splats_.all > 1) fail();
}

/// `*name…` where the grammar lets the star reach over all attributes and subscripts: `*a.b(c)` is
/// `(*a.b)(c)`.
void Parser::far_splat_operand() {
  const Mark mark = start();
  if (!is_name(peek())) {
    splat();
    if (!failed_ && bound_closer(nodes_[nodes_.size() - 2].shape)) fail();
    return;
  }
  const Snapshot before = snapshot();
  const auto name = [&] {
    advance();
    const Mark operand = start();
    leaf(Shape::identifier);
    return operand;
  };
  int reach = 0;  // how many of what follows the name the star covers
  const Mark counted = name();
  for (int steps = 1;; ++steps) {
    const bool member = is(Tok::dot) || is(Tok::lbracket);
    if (!postfix(counted)) break;
    if (member) reach = steps;
  }
  if (failed_) return;
  restore(before);
  const Mark covered = name();
  for (; reach > 0; --reach) postfix(covered);
  close(Shape::list_splat, mark);
  primary_tail(mark);
  operators_tail(mark, 1);
  expression_tail(mark, Named::no);
  note_splat(mark, true);
}

/// `*expression` in a display or an argument list.
void Parser::splat() {
  const Mark mark = start();
  advance();
  expression();
  close(Shape::list_splat, mark);
  note_splat(mark, false);
}

}  // namespace cutelab::source::python
