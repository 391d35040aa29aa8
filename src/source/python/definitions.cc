#include "source/python/parser.h"

namespace cutelab::source::python {

void Parser::decorated_definition() {
  const Mark mark = start();
  while (is(Tok::at)) {
    const Mark decorator = start();
    advance();
    expression(Named::yes);
    if (!is(Tok::newline)) return fail();
    advance_line();
    close(Shape::decorator, decorator);
  }
  const Mark definition = start();
  if (is(Tok::k_class)) {
    class_definition();
  } else {
    if (is(Tok::word_async)) advance();
    if (!is(Tok::k_def)) return fail();
    function_definition(definition);
  }
  set_field(Field::definition_field);
  close(Shape::decorated_definition, mark);
}

void Parser::class_definition() {
  const Mark mark = start();
  advance();
  if (!is_name(token_.kind)) return fail();
  operator_leaf(Shape::identifier, Field::name_field);
  if (is(Tok::lbracket)) type_parameter();
  if (is(Tok::lparen)) {
    const Mark list = start();
    advance();
    while (!is(Tok::rparen) && !failed_) {
      argument();
      if (!accept(Tok::comma)) break;
    }
    expect(Tok::rparen);
    close(Shape::argument_list, list);
    set_field(Field::superclasses_field);
  }
  suite(Field::body_field);
  close(Shape::class_definition, mark);
}

void Parser::function_definition(Mark mark) {
  advance();
  if (!is_name(token_.kind)) return fail();
  operator_leaf(Shape::identifier, Field::name_field);
  if (is(Tok::lbracket)) type_parameter();
  const Mark list = start();
  expect(Tok::lparen);
  parameters(Tok::rparen, true);
  expect(Tok::rparen);
  close(Shape::parameters, list);
  set_field(Field::parameters_field);
  if (accept(Tok::arrow)) type(Field::return_type_field);
  suite(Field::body_field);
  close(Shape::function_definition, mark);
}

void Parser::parameters(Tok closing, bool typed) {
  while (!is(closing) && !failed_) {
    parameter(closing, typed);
    if (!accept(Tok::comma)) break;
  }
}

void Parser::parameter(Tok closing, bool typed) {
  const Mark mark = start();
  if (is(Tok::slash)) return leaf(Shape::positional_separator);
  const bool star = is(Tok::star), power = is(Tok::power);
  if (star || power) {
    advance();
    if (star && (is(Tok::comma) || is(closing))) return close(Shape::keyword_separator, mark);
  }
  if (!is_name(token_.kind)) return fail();
  leaf(Shape::identifier);
  if (star || power) close(star ? Shape::list_splat_pattern : Shape::dictionary_splat_pattern, mark);
  const bool annotated = typed && is(Tok::colon);
  if (annotated) {
    const std::size_t name = nodes_.size() - 1;
    advance();
    type(Field::type_field);
    if (is(Tok::assign) && !failed_) nodes_[name].field = Field::name_field;
  } else if (is(Tok::assign)) {
    set_field(Field::name_field);
  }
  if (is(Tok::assign)) {
    if (star || power) return fail();
    advance();
    expression();
    set_field(Field::value_field);
    close(annotated ? Shape::typed_default_parameter : Shape::default_parameter, mark);
  } else if (annotated) {
    close(Shape::typed_parameter, mark);
  }
}

/// A type: an expression, or `name[types]` and unions that begin with one, which the grammar has nodes for.
void Parser::type(Field field) {
  const Nested nested(*this);
  const Mark mark = start();
  single_type();
  while (is(Tok::pipe)) {
    advance();
    single_type();
    close(Shape::union_type, mark);
    close(Shape::type, mark);
  }
  set_field(field);
}

void Parser::single_type() {
  const Mark mark = start();
  if (is(Tok::star)) {
    advance();
    if (!is_name(token_.kind)) return fail();
    leaf(Shape::identifier);
    close(Shape::splat_type, mark);
  } else if (is(Tok::name) || is(Tok::word_type)) {
    leaf(Shape::identifier);
    if (is(Tok::lbracket)) {
      type_parameter();
      close(Shape::generic_type, mark);
    } else {
      primary_tail(mark);
      operators_tail(mark, 1);
      expression_tail(mark, Named::no);
    }
  } else {
    expression();
  }
  close(Shape::type, mark);
}

void Parser::type_parameter() {
  const Mark mark = start();
  advance();
  do {
    if (is(Tok::rbracket)) break;
    type(Field::no_field);
  } while (accept(Tok::comma));
  expect(Tok::rbracket);
  close(Shape::type_parameter, mark);
}

}  // namespace cutelab::source::python
