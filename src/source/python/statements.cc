#include "source/python/parser.h"

namespace cutelab::source::python {

void Parser::statement() {
  const Mark mark = start();
  splats_ = {};
  switch (token_.kind) {
    case Tok::k_if:
      return if_statement();
    case Tok::k_for:
      return for_statement(mark);
    case Tok::k_while:
      return while_statement();
    case Tok::k_try:
      return try_statement();
    case Tok::k_with:
      return with_statement(mark);
    case Tok::k_def:
      return function_definition(mark);
    case Tok::k_class:
      return class_definition();
    case Tok::at:
      return decorated_definition();
    case Tok::word_async:
      return async_statement();
    case Tok::word_match:
      if (match_statement()) return;
      break;
    default:
      break;
  }
  simple_statements();
}

/// `a; b; c` and the end of the line.
void Parser::simple_statements() {
  do simple_statement();
  while (accept(Tok::semicolon) && !is(Tok::newline));
  if (!is(Tok::newline)) return fail();
  advance_line();
}

void Parser::simple_statement() {
  switch (token_.kind) {
    case Tok::k_import:
      return import_statement();
    case Tok::k_from:
      return import_from_statement();
    case Tok::k_assert:
      return assert_statement();
    case Tok::k_return:
      return return_statement();
    case Tok::k_del:
      return delete_statement();
    case Tok::k_raise:
      return raise_statement();
    case Tok::k_pass:
      return leaf(Shape::pass_statement);
    case Tok::k_break:
      return leaf(Shape::break_statement);
    case Tok::k_continue:
      return leaf(Shape::continue_statement);
    case Tok::k_global:
      return names_statement(Shape::global_statement);
    case Tok::k_nonlocal:
      return names_statement(Shape::nonlocal_statement);
    case Tok::word_print:
    case Tok::word_exec:
    case Tok::word_type:
    case Tok::word_match:
      return soft_word_statement();
    default:
      return expression_statement();
  }
}

/// A statement that begins with a word which the grammar also knows as a statement of its own (`print x`,
/// `type A = B`): accepted where only the name can be meant.
void Parser::soft_word_statement() {
  const Tok word = token_.kind;
  const Tok behind = peek();
  bool call = false;
  switch (behind) {
    case Tok::lparen:
      call = true;
      break;
    case Tok::lbracket:
      if (word != Tok::word_match) return fail();
      break;
    case Tok::dot:
    case Tok::comma:
    case Tok::assign:
    case Tok::colon:
    case Tok::newline:
    case Tok::semicolon:
    case Tok::equal:
    case Tok::not_equal:
    case Tok::k_is:
    case Tok::k_in:
    case Tok::k_and:
    case Tok::k_or:
    case Tok::k_if:
      break;
    default:
      if (!is_augmented(behind)) return fail();
  }
  if (word != Tok::word_exec) soft_word_ = token_.begin;
  expression_statement();
  if (call && word == Tok::word_type && !failed_ && nodes_[nodes_.size() - 2].shape == Shape::assignment)
    fail();
}

void Parser::expression_statement() {
  const Mark mark = start();
  if (is(Tok::k_yield)) {
    yield();
  } else {
    const bool list = comma_separated();
    if (is(Tok::assign))
      assignment(mark, list);
    else if (is(Tok::colon) && !list)
      annotated(mark);
    else if (is_augmented(token_.kind) && !list)
      augmented(mark);
  }
  close(Shape::expression_statement, mark);
}

/// `target = …`; the targets are made, the sign is the current token.
void Parser::assignment(Mark mark, bool list) {
  if (failed_ || !to_patterns(mark)) return fail();
  if (list) close(Shape::pattern_list, mark);
  set_field(Field::left_field);
  advance();
  right_hand_side();
  set_field(Field::right_field);
  close(Shape::assignment, mark);
}

void Parser::annotated(Mark mark) {
  if (failed_ || !to_patterns(mark)) return fail();
  set_field(Field::left_field);
  advance();
  type(Field::type_field);
  if (accept(Tok::assign)) {
    right_hand_side();
    set_field(Field::right_field);
  }
  close(Shape::assignment, mark);
}

void Parser::augmented(Mark mark) {
  if (failed_ || !to_patterns(mark)) return fail();
  set_field(Field::left_field);
  const auto first = static_cast<int>(Shape::op_plus_assign);
  const int sign = static_cast<int>(token_.kind) - static_cast<int>(Tok::first_augmented);
  operator_leaf(static_cast<Shape>(first + sign), Field::operator_token);
  right_hand_side();
  set_field(Field::right_field);
  close(Shape::augmented_assignment, mark);
}

void Parser::right_hand_side() {
  const Nested nested(*this);
  if (is(Tok::k_yield)) return yield();
  const Mark mark = start();
  const bool list = comma_separated();
  if (is(Tok::assign))
    assignment(mark, list);
  else if (list)
    close(Shape::expression_list, mark);
}

/// Expressions with commas between them, not yet in a node of their own; true when there is a comma.
bool Parser::comma_separated() {
  bool list = false;
  do {
    if (list && !begins_expression()) break;
    const bool member_of_splat = separated_element();
    // A last `*a.b` is bound differently.
    if (member_of_splat && !is(Tok::comma) && !(list && is(Tok::colon))) fail();
    list = list || is(Tok::comma);
  } while (accept(Tok::comma));
  return list;
}

/// True when it is an attribute or a subscript of `*name`.
bool Parser::separated_element() {
  if (is(Tok::star)) return splat_operand();
  expression();
  return false;
}

void Parser::expression_or_list() {
  const Mark mark = start();
  if (comma_separated()) close(Shape::expression_list, mark);
}

void Parser::return_statement() {
  const Mark mark = start();
  advance();
  if (begins_expression()) expression_or_list();
  close(Shape::return_statement, mark);
}

void Parser::delete_statement() {
  const Mark mark = start();
  advance();
  expression_or_list();
  close(Shape::delete_statement, mark);
}

void Parser::raise_statement() {
  const Mark mark = start();
  advance();
  if (begins_expression()) {
    expression();
    if (accept(Tok::k_from)) expression();
  }
  close(Shape::raise_statement, mark);
}

void Parser::assert_statement() {
  const Mark mark = start();
  advance();
  expression();
  if (accept(Tok::comma)) expression();
  close(Shape::assert_statement, mark);
}

void Parser::names_statement(Shape shape) {
  const Mark mark = start();
  advance();
  do {
    if (!is_name(token_.kind)) return fail();
    leaf(Shape::identifier);
  } while (accept(Tok::comma));
  close(shape, mark);
}

}  // namespace cutelab::source::python
