#include "source/python/parser.h"

namespace cutelab::source::python {

void Parser::primary() {
  const Mark mark = start();
  atom();
  primary_tail(mark);
}

void Parser::primary_tail(Mark mark) {
  while (postfix(mark)) {
  }
}

/// `.name`, `(…)` or `[…]` behind an operand that began at `mark`; false when there is none.
bool Parser::postfix(Mark mark) {
  switch (token_.kind) {
    case Tok::dot:
      set_field(Field::object_field);
      advance();
      if (!is_name(token_.kind)) {
        fail();
        return false;
      }
      operator_leaf(Shape::identifier, Field::attribute_field);
      close(Shape::attribute, mark);
      return true;
    case Tok::lparen:
      call(mark);
      return true;
    case Tok::lbracket:
      subscript(mark);
      return true;
    default:
      return false;
  }
}

void Parser::atom() {
  switch (token_.kind) {
    case Tok::name:
    case Tok::word_print:
    case Tok::word_exec:
    case Tok::word_type:
    case Tok::word_match:
    case Tok::word_case:
      return leaf(Shape::identifier);
    case Tok::integer:
      return leaf(Shape::integer);
    case Tok::floating:
      return leaf(Shape::float_literal);
    case Tok::string:
      return strings();
    case Tok::k_none:
      return leaf(Shape::none_literal);
    case Tok::k_true:
      return leaf(Shape::true_literal);
    case Tok::k_false:
      return leaf(Shape::false_literal);
    case Tok::ellipsis:
      return leaf(Shape::ellipsis);
    case Tok::lparen:
      return parenthesis();
    case Tok::lbracket:
      return list();
    case Tok::lbrace:
      return braces();
    default:
      return fail();
  }
}

void Parser::subscript(Mark mark) {
  set_field(Field::value_field);
  advance();
  do {
    if (is(Tok::rbracket)) break;
    subscript_item();
    set_field(Field::subscript_field);
  } while (accept(Tok::comma));
  if (nodes_.empty() || nodes_.back().field != Field::subscript_field) return fail();  // x[]
  expect(Tok::rbracket);
  close(Shape::subscript, mark);
}

void Parser::subscript_item() {
  if (is(Tok::star)) {
    splat_operand();
    return;
  }
  const Mark mark = start();
  if (!is(Tok::colon)) expression(Named::yes);
  if (!is(Tok::colon)) return;
  const auto bound = [&] {
    if (!is(Tok::colon) && !is(Tok::comma) && !is(Tok::rbracket)) expression();
  };
  advance();
  bound();
  if (accept(Tok::colon)) bound();
  close(Shape::slice, mark);
}

void Parser::call(Mark mark) {
  set_field(Field::function_field);
  const Mark list = start();
  advance();
  Shape shape = Shape::argument_list;
  // Such a call is also tried as a print statement, a match statement or a type, which changes the binding.
  const bool soft = mark.begin == soft_word_ && list.index == mark.index + 1;
  for (bool first = true; !is(Tok::rparen) && !failed_; first = false) {
    const bool plain = argument(soft && !first);
    if (plain && (is(Tok::k_for) || is(Tok::word_async))) {
      if (!first) return fail();
      set_field(Field::body_field);
      comprehension();
      shape = Shape::generator_expression;
      break;
    }
    if (!accept(Tok::comma)) break;
  }
  expect(Tok::rparen);
  close(shape, list);
  set_field(Field::arguments_field);
  close(Shape::call, mark);
}

/// True when it is an expression and nothing more. `far`: how the star of `*operand` is bound.
bool Parser::argument(bool far) {
  const Mark mark = start();
  if (is(Tok::star)) {
    far ? far_splat_operand() : splat();
    return false;
  }
  if (is(Tok::power)) {
    advance();
    expression();
    close(Shape::dictionary_splat, mark);
    return false;
  }
  expression(Named::yes);
  if (!is(Tok::assign)) return true;
  if (!is_single(mark, Shape::identifier)) fail();
  set_field(Field::name_field);
  advance();
  expression();
  set_field(Field::value_field);
  close(Shape::keyword_argument, mark);
  return false;
}

/// `(…)`: a tuple, a generator or an expression in parentheses.
void Parser::parenthesis() {
  const Nested nested(*this);
  const Mark mark = start();
  advance();
  Shape shape = Shape::tuple;
  if (is(Tok::k_yield)) {
    yield();
    shape = Shape::parenthesized_expression;
  } else if (!is(Tok::rparen)) {
    const bool splatted = is(Tok::star);
    display_item();
    if (is(Tok::k_for) || is(Tok::word_async)) {
      if (splatted) return fail();
      set_field(Field::body_field);
      comprehension();
      shape = Shape::generator_expression;
    } else if (is(Tok::comma)) {
      more_items(Tok::rparen);
    } else {
      if (splatted) return fail();
      shape = Shape::parenthesized_expression;
    }
  }
  expect(Tok::rparen);
  close(shape, mark);
}

void Parser::display_item() {
  if (is(Tok::star)) return splat();
  expression(Named::yes);
}

/// A first `*operand` without another item behind it is bound as splat_operand() says.
void Parser::first_item(Tok closing) {
  if (!is(Tok::star)) return display_item();
  const Mark mark = start();
  const Snapshot before = snapshot();
  const bool name = is_name(peek());
  splat();
  if (!is(closing) || nodes_.size() == mark.index + 2 || failed_)
    return;  // other items, or nothing but a name
  if (!name) {
    if (bound_closer(nodes_[nodes_.size() - 2].shape)) fail();
    return;
  }
  restore(before);
  splat_operand();
}

/// Whether the star of a sole item could belong to a part of such an operand.
bool Parser::bound_closer(Shape operand) {
  switch (operand) {
    case Shape::attribute:
    case Shape::subscript:
    case Shape::call:
    case Shape::binary_operator:
    case Shape::boolean_operator:
    case Shape::comparison_operator:
    case Shape::conditional_expression:
      return true;
    default:
      return false;
  }
}

/// `, item, item,` up to the closing bracket.
void Parser::more_items(Tok closing) {
  while (accept(Tok::comma)) {
    if (is(closing)) break;
    display_item();
  }
}

void Parser::list() {
  const Nested nested(*this);
  const Mark mark = start();
  advance();
  Shape shape = Shape::list;
  if (!is(Tok::rbracket)) {
    const bool splatted = is(Tok::star);
    first_item(Tok::rbracket);
    if (is(Tok::k_for) || is(Tok::word_async)) {
      if (splatted) return fail();
      set_field(Field::body_field);
      comprehension();
      shape = Shape::list_comprehension;
    } else {
      more_items(Tok::rbracket);
    }
  }
  expect(Tok::rbracket);
  close(shape, mark);
}

/// `{…}`: a dictionary, a set or a comprehension of either.
void Parser::braces() {
  const Nested nested(*this);
  const Mark mark = start();
  advance();
  Shape shape = Shape::dictionary;
  if (!is(Tok::rbrace)) {
    const bool splatted = is(Tok::star) || is(Tok::power);
    const bool pairs = is(Tok::star) ? (first_item(Tok::rbrace), false) : brace_item();
    shape = pairs ? Shape::dictionary : Shape::set;
    if (is(Tok::k_for) || is(Tok::word_async)) {
      if (splatted) return fail();
      set_field(Field::body_field);
      comprehension();
      shape = pairs ? Shape::dictionary_comprehension : Shape::set_comprehension;
    } else {
      while (accept(Tok::comma) && !is(Tok::rbrace))
        if (brace_item() != pairs) return fail();
    }
  }
  expect(Tok::rbrace);
  close(shape, mark);
}

/// True when it belongs into a dictionary.
bool Parser::brace_item() {
  const Mark mark = start();
  if (accept(Tok::power)) {
    expression();
    close(Shape::dictionary_splat, mark);
    return true;
  }
  if (is(Tok::star)) {
    splat();
    return false;
  }
  expression(Named::yes);
  if (!is(Tok::colon)) return false;
  set_field(Field::key_field);
  advance();
  expression();
  set_field(Field::value_field);
  close(Shape::pair, mark);
  return true;
}

/// The `for … in … if …` clauses; what they loop over and test are disjunctions, as in the language.
void Parser::comprehension() {
  do {
    const Mark mark = start();
    if (is(Tok::k_if)) {
      advance();
      disjunction();
      close(Shape::if_clause, mark);
      continue;
    }
    if (is(Tok::word_async)) advance();
    expect(Tok::k_for);
    target_list(Field::left_field);
    expect(Tok::k_in);
    disjunction();
    set_field(Field::right_field);
    close(Shape::for_in_clause, mark);
  } while (is(Tok::k_for) || is(Tok::word_async) || is(Tok::k_if));
}

}  // namespace cutelab::source::python
