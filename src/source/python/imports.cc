#include "source/python/parser.h"

namespace cutelab::source::python {

void Parser::import_statement() {
  const Mark mark = start();
  advance();
  import_list(Tok::newline);
  close(Shape::import_statement, mark);
}

void Parser::import_from_statement() {
  const Mark mark = start();
  advance();
  const bool future = import_origin();
  expect(Tok::k_import);
  if (is(Tok::star)) {
    leaf(Shape::wildcard_import);
  } else if (accept(Tok::lparen)) {
    import_list(Tok::rparen);
    expect(Tok::rparen);
  } else {
    import_list(Tok::newline);
  }
  close(future ? Shape::future_import_statement : Shape::import_from_statement, mark);
}

/// The module that is imported from; true for `__future__`, which the grammar takes for a keyword.
bool Parser::import_origin() {
  if (text_.substr(token_.begin, token_.end - token_.begin) == "__future__") {
    advance();
    return true;
  }
  const Mark mark = start();
  const bool relative = is(Tok::dot) || is(Tok::ellipsis);
  if (relative) {
    while (is(Tok::dot) || is(Tok::ellipsis)) advance();
    close(Shape::import_prefix, mark);
  }
  if (!is(Tok::k_import)) dotted_name();
  if (relative) close(Shape::relative_import, mark);
  set_field(Field::module_name_field);
  return false;
}

void Parser::import_list(Tok closing) {
  do {
    if (is(closing) && closing == Tok::rparen) break;
    imported_name();
    set_field(Field::name_field);
  } while (accept(Tok::comma));
}

void Parser::imported_name() {
  const Mark mark = start();
  dotted_name();
  if (!is(Tok::k_as)) return;
  set_field(Field::name_field);
  advance();
  if (!is_name(token_.kind)) return fail();
  operator_leaf(Shape::identifier, Field::alias_field);
  close(Shape::aliased_import, mark);
}

void Parser::dotted_name() {
  const Mark mark = start();
  do {
    if (!is_name(token_.kind)) return fail();
    leaf(Shape::identifier);
  } while (accept(Tok::dot));
  close(Shape::dotted_name, mark);
}

}  // namespace cutelab::source::python
