#include "source/python/parser.h"

namespace cutelab::source::python {

/// From the colon on: a block of indented statements, or simple statements on the same line.
void Parser::suite(Field field) {
  const Nested nested(*this);
  if (!is(Tok::colon) || failed_) return fail();
  flush();
  last_end_ = token_.end;
  token_ = lexer_.after_colon();
  if (is(Tok::newline)) return fail();  // an empty suite
  if (is(Tok::indent)) {
    advance_line();
    const Mark mark = start();
    while (!is(Tok::dedent) && !is(Tok::end)) statement();
    if (is(Tok::end)) return fail();
    advance_line();
    close(Shape::block, mark);
  } else {
    const Mark mark = start();
    simple_statements();
    close(Shape::block, mark);
  }
  set_field(field);
}

void Parser::if_statement() {
  const Mark mark = start();
  advance();
  expression(Named::yes);
  set_field(Field::condition_field);
  suite(Field::consequence_field);
  while (is(Tok::k_elif)) {
    const Mark clause = start();
    advance();
    expression(Named::yes);
    set_field(Field::condition_field);
    suite(Field::consequence_field);
    close(Shape::elif_clause, clause);
    set_field(Field::alternative_field);
  }
  if (is(Tok::k_else)) else_clause(Field::alternative_field);
  close(Shape::if_statement, mark);
}

void Parser::else_clause(Field field) {
  const Mark mark = start();
  advance();
  suite(Field::body_field);
  close(Shape::else_clause, mark);
  set_field(field);
}

void Parser::while_statement() {
  const Mark mark = start();
  advance();
  expression(Named::yes);
  set_field(Field::condition_field);
  suite(Field::body_field);
  if (is(Tok::k_else)) else_clause(Field::alternative_field);
  close(Shape::while_statement, mark);
}

void Parser::for_statement(Mark mark) {
  advance();
  target_list(Field::left_field);
  expect(Tok::k_in);
  expression_or_list();
  set_field(Field::right_field);
  suite(Field::body_field);
  if (is(Tok::k_else)) else_clause(Field::alternative_field);
  close(Shape::for_statement, mark);
}

void Parser::try_statement() {
  const Mark mark = start();
  advance();
  suite(Field::body_field);
  if (!is(Tok::k_except) && !is(Tok::k_finally)) return fail();
  while (is(Tok::k_except)) except_clause();
  if (is(Tok::k_else)) else_clause(Field::no_field);
  if (is(Tok::k_finally)) {
    const Mark clause = start();
    advance();
    suite(Field::no_field);
    close(Shape::finally_clause, clause);
  }
  close(Shape::try_statement, mark);
}

void Parser::except_clause() {
  const Mark mark = start();
  if (lexer_.at(token_.end) == '*') return fail();
  advance();
  if (!is(Tok::colon)) {
    aliased_expression();
    set_field(Field::value_field);
  }
  suite(Field::no_field);
  close(Shape::except_clause, mark);
}

/// `expression`, `expression as target`.
void Parser::aliased_expression() {
  const Mark mark = start();
  expression();
  if (!is(Tok::k_as)) return;
  // The grammar puts `as` inside these, on their last operand.
  if (last_shape() == Shape::conditional_expression || last_shape() == Shape::lambda) return fail();
  advance();
  const Mark target = start();
  expression();
  close(Shape::as_pattern_target, target);
  set_field(Field::alias_field);
  close(Shape::as_pattern, mark);
}

void Parser::with_statement(Mark mark) {
  advance();
  const Mark clause = start();
  if (!is(Tok::lparen) || !parenthesized_items()) {
    do with_item();
    while (accept(Tok::comma));
  }
  close(Shape::with_clause, clause);
  suite(Field::body_field);
  close(Shape::with_statement, mark);
}

/// `with (a, b as c):`. Only two items or more make the parentheses those of the statement; a single `(a as
/// b)` is an expression to the grammar. False, and nothing done, when the parentheses are those of an
/// operand.
bool Parser::parenthesized_items() {
  const Snapshot saved = snapshot();
  const Mark mark = start();
  advance();
  int items = 0;
  bool trailing = false;
  do {
    trailing = is(Tok::rparen);
    if (trailing) break;
    with_item();
    ++items;
  } while (accept(Tok::comma));
  const bool alias = !failed_ && nodes_.size() > 1 && last_shape() == Shape::with_item &&
                     nodes_[nodes_.size() - 2].shape == Shape::as_pattern;
  if (items == 1 && alias) {
    nodes_.pop_back();
    set_field(Field::no_field);
  }
  expect(Tok::rparen);
  if (failed_ || !is(Tok::colon) || items == 0 || (items == 1 && !alias)) {
    restore(saved);
    return false;
  }
  if (items == 1) {
    close(trailing ? Shape::tuple : Shape::parenthesized_expression, mark);
    set_field(Field::value_field);
    close(Shape::with_item, mark);
  }
  return true;
}

void Parser::with_item() {
  const Mark mark = start();
  aliased_expression();
  set_field(Field::value_field);
  close(Shape::with_item, mark);
}

void Parser::async_statement() {
  const Mark mark = start();
  advance();
  switch (token_.kind) {
    case Tok::k_def:
      return function_definition(mark);
    case Tok::k_for:
      return for_statement(mark);
    case Tok::k_with:
      return with_statement(mark);
    default:
      return fail();
  }
}

}  // namespace cutelab::source::python
