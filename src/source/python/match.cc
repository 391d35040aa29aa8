#include <vector>

#include "source/python/parser.h"

namespace cutelab::source::python {

/// `match subject:` with its cases. False, and nothing done, when `match` is a name here.
bool Parser::match_statement() {
  const Snapshot saved = snapshot();
  const Mark mark = start();
  advance();
  std::vector<std::size_t> subjects;  // their nodes; they have the field once it is a statement
  do {
    if (!subjects.empty() && !begins_expression()) break;
    const std::size_t before = nodes_.size();
    separated_element();
    if (nodes_.size() > before) subjects.push_back(nodes_.size() - 1);
  } while (accept(Tok::comma));
  if (is(Tok::colon) && !failed_) {
    flush();
    last_end_ = token_.end;
    token_ = lexer_.after_colon();
    if (is(Tok::indent)) advance_line();
  }
  if (!is(Tok::word_case) || failed_) {
    restore(saved);
    return false;
  }
  for (const std::size_t subject : subjects) nodes_[subject].field = Field::subject_field;
  const Mark block = {static_cast<std::uint32_t>(nodes_.size()),
                      last_end_};  // with the comments before a case
  while (is(Tok::word_case)) case_clause();
  if (!is(Tok::dedent)) {
    fail();
    return true;
  }
  advance_line();
  close(Shape::block, block);
  set_field(Field::body_field);
  close(Shape::match_statement, mark);
  return true;
}

void Parser::case_clause() {
  const Mark mark = start();
  advance();
  do {
    if (is(Tok::colon) || is(Tok::k_if)) break;
    case_pattern();
  } while (accept(Tok::comma));
  if (is(Tok::k_if)) {
    const Mark guard = start();
    advance();
    expression(Named::yes);
    close(Shape::if_clause, guard);
  }
  suite(Field::consequence_field);
  close(Shape::case_clause, mark);
  set_field(Field::alternative_field);
}

void Parser::case_pattern() {
  const Nested nested(*this);
  const Mark mark = start();
  simple_pattern();
  if (is(Tok::assign)) {
    // `name = pattern`: the name is no dotted_name then.
    if (nodes_.size() != mark.index + 2 || last_shape() != Shape::dotted_name) return fail();
    nodes_.pop_back();
    advance();
    simple_pattern();
    close(Shape::keyword_pattern, mark);
  }
  while (is(Tok::k_as)) {
    close(Shape::case_pattern, mark);
    advance();
    if (!is(Tok::name) || is_wildcard()) return fail();
    leaf(Shape::identifier);
    close(Shape::as_pattern, mark);
  }
  close(Shape::case_pattern, mark);
}

void Parser::simple_pattern() {
  const Mark mark = start();
  closed_pattern();
  if (!is(Tok::pipe)) return;
  while (accept(Tok::pipe)) closed_pattern();
  close(Shape::union_pattern, mark);
}

void Parser::closed_pattern() {
  const Mark mark = start();
  switch (token_.kind) {
    case Tok::string:
      return strings();
    case Tok::k_none:
      return leaf(Shape::none_literal);
    case Tok::k_true:
      return leaf(Shape::true_literal);
    case Tok::k_false:
      return leaf(Shape::false_literal);
    case Tok::minus:
    case Tok::integer:
    case Tok::floating:
      return pattern_number();
    case Tok::lparen:
      pattern_items(Tok::rparen);
      return close(Shape::tuple_pattern, mark);
    case Tok::lbracket:
      pattern_items(Tok::rbracket);
      return close(Shape::list_pattern, mark);
    case Tok::lbrace:
      return dict_pattern();
    case Tok::star:
    case Tok::power:
      return splat_pattern();
    default:
      break;
  }
  if (is_wildcard()) {
    advance();
    if (is(Tok::dot) || is(Tok::lparen) || is(Tok::assign)) fail();
    return;
  }
  dotted_name();
  if (!is(Tok::lparen)) return;
  pattern_items(Tok::rparen);
  close(Shape::class_pattern, mark);
}

bool Parser::is_wildcard() const {
  return is(Tok::name) && text_.substr(token_.begin, token_.end - token_.begin) == "_";
}

/// The bracket, the patterns in it, and its partner.
void Parser::pattern_items(Tok closing) {
  advance();
  do {
    if (is(closing)) break;
    case_pattern();
  } while (accept(Tok::comma));
  expect(closing);
}

/// `1`, `-1.5`, `1 + 2j`; a sign is no node.
void Parser::pattern_number() {
  const Mark mark = start();
  const auto number = [&] {
    if (!is(Tok::integer) && !is(Tok::floating)) return fail();
    leaf(is(Tok::integer) ? Shape::integer : Shape::float_literal);
  };
  accept(Tok::minus);
  number();
  if (!is(Tok::plus) && !is(Tok::minus)) return;
  advance();
  number();
  close(Shape::complex_pattern, mark);
}

void Parser::dict_pattern() {
  const Mark mark = start();
  advance();
  do {
    if (is(Tok::rbrace)) break;
    if (is(Tok::power)) {
      splat_pattern();
      continue;
    }
    if (is(Tok::minus) || is(Tok::star) || is_wildcard()) return fail();  // whose tokens would be nodes here
    simple_pattern();
    set_field(Field::key_field);
    expect(Tok::colon);
    case_pattern();
    set_field(Field::value_field);
  } while (accept(Tok::comma));
  expect(Tok::rbrace);
  close(Shape::dict_pattern, mark);
}

void Parser::splat_pattern() {
  const Mark mark = start();
  advance();
  if (!is(Tok::name)) return fail();
  if (is_wildcard())
    advance();
  else
    leaf(Shape::identifier);
  close(Shape::splat_pattern, mark);
}

}  // namespace cutelab::source::python
