#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "source/kinds.h"
#include "source/python/lexer.h"
#include "source/python/shapes.h"

namespace cutelab::source::python {

/// One node, in the order in which nodes end: the `size - 1` nodes before it are its subtree.
struct Made {
  std::uint32_t begin, end;
  std::uint32_t size;
  Shape shape;
  Field field;
};

/// Deepest nesting of expressions, suites and literals that is parsed by recursion here; deeper sources are
/// left to the table-driven parser, whose stack is on the heap.
inline constexpr int deepest_nesting = 600;

/// A recursive-descent parser of Python 3 that makes the nodes which the pinned tree-sitter grammar makes, in
/// one array without links. It has no error recovery: a text that it does not accept (a syntax error, a rare
/// construct, deep nesting) has no result, and the caller asks tree-sitter. After a failure the current token
/// is Tok::end for good, so every loop ends by itself and no caller checks.
class Parser {
 public:
  explicit Parser(std::string_view text, std::uint32_t begin) : text_(text), lexer_(text, begin) {}

  /// The nodes of the whole text, root last; nothing when the text is not accepted.
  std::optional<std::vector<Made>> parse();

 private:
  /// Where a node that is not ended yet begins.
  struct Mark {
    std::uint32_t index;  ///< nodes made before it
    std::uint32_t begin;
  };
  struct Splats {
    int all = 0;  ///< `*operand` whose operand is more than a name
    int odd = 0;  ///< of them those that the grammar does not bind as the language does
  };
  struct Snapshot {
    std::size_t nodes;
    Token token;
    std::uint32_t last_end;
    int depth;
    Splats splats;
    Lexer lexer;
  };
  class Nested;
  static constexpr std::uint32_t no_word = 0xffffffffu;
  enum class Named { no, yes };  ///< whether `x := 1` may stand here

  // parser.cc: nodes and tokens
  Mark start();
  void leaf(Shape shape);
  void operator_leaf(Shape shape, Field field);
  void close(Shape shape, Mark mark);
  void set_field(Field field);
  void flush();
  void advance();
  void advance_line();
  void expect(Tok kind);
  bool accept(Tok kind);
  void fail();
  bool is(Tok kind) const { return token_.kind == kind; }
  bool begins_expression() const;
  Tok peek() const;
  Shape last_shape() const { return nodes_.empty() ? Shape::count : nodes_.back().shape; }
  bool is_single(Mark mark, Shape shape) const;
  Snapshot snapshot() const;
  void restore(const Snapshot& saved);

  // statements.cc
  void statement();
  void simple_statements();
  void simple_statement();
  void soft_word_statement();
  void expression_statement();
  void assignment(Mark mark, bool list);
  void annotated(Mark mark);
  void augmented(Mark mark);
  void right_hand_side();
  void return_statement();
  void delete_statement();
  void raise_statement();
  void assert_statement();
  void names_statement(Shape shape);
  bool comma_separated();
  bool separated_element();
  void expression_or_list();

  // imports.cc
  void import_statement();
  void import_from_statement();
  bool import_origin();
  void import_list(Tok closing);
  void imported_name();
  void dotted_name();

  // compound.cc
  void suite(Field field);
  void if_statement();
  void else_clause(Field field);
  void while_statement();
  void for_statement(Mark mark);
  void try_statement();
  void except_clause();
  void with_statement(Mark mark);
  bool parenthesized_items();
  void with_item();
  void aliased_expression();
  void async_statement();

  // definitions.cc
  void decorated_definition();
  void class_definition();
  void function_definition(Mark mark);
  void parameters(Tok closing, bool typed);
  void parameter(Tok closing, bool typed);
  void type(Field field);
  void single_type();
  void type_parameter();

  // match.cc
  bool match_statement();
  void case_clause();
  void case_pattern();
  void simple_pattern();
  void closed_pattern();
  void pattern_items(Tok closing);
  void pattern_number();
  void dict_pattern();
  void splat_pattern();
  bool is_wildcard() const;

  // expressions.cc
  void expression(Named named = Named::no);
  void expression_tail(Mark mark, Named named);
  void disjunction();
  void operators(int least);
  void operators_tail(Mark mark, int least);
  void prefix(Shape sign);
  void comparison(Mark mark);
  bool comparison_sign();
  void lambda();
  void yield();
  void splat();
  void splat_name();
  bool splat_operand();
  void note_splat(Mark mark, bool odd);
  void far_splat_operand();

  // primaries.cc
  void primary();
  void primary_tail(Mark mark);
  bool postfix(Mark mark);
  void atom();
  void subscript(Mark mark);
  void subscript_item();
  void call(Mark mark);
  bool argument(bool far = false);
  void parenthesis();
  void display_item();
  void more_items(Tok closing);
  void first_item(Tok closing);
  static bool bound_closer(Shape operand);
  void list();
  void braces();
  bool brace_item();
  void comprehension();

  // targets.cc: expressions read again as assignment targets
  void target_list(Field field);
  void target();
  bool to_pattern(std::uint32_t index);
  bool to_patterns(Mark mark);

  // strings.cc
  struct Literal;
  void strings();
  void string();
  bool plain_piece(Literal& literal);
  bool raw_piece(Literal& literal);
  bool closes(const Literal& literal) const;
  bool brace(Literal& literal);
  void backslash(Literal& literal);
  void end_content(Literal& literal, std::uint32_t end);
  bool end_string(Literal& literal, std::uint32_t begin);
  std::uint32_t escape_length(std::uint32_t at) const;

  // interpolation.cc
  std::uint32_t interpolation(std::uint32_t begin, char quote, Shape shape);
  std::uint32_t format_specifier(char quote);

  std::string_view text_;
  Lexer lexer_;
  Token token_;  ///< the token to be looked at next
  std::uint32_t last_end_ = 0;
  std::vector<Made> nodes_;
  Splats splats_;  ///< of the current statement
  int depth_ = 0;
  std::uint32_t soft_word_ = no_word;  ///< where a `print` or the like begins the current statement
  bool failed_ = false;
};

/// One level of nesting, for as long as it lives.
class Parser::Nested {
 public:
  explicit Nested(Parser& parser) : parser_(parser) {
    if (++parser_.depth_ > deepest_nesting) parser_.fail();
  }
  ~Nested() { --parser_.depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  Parser& parser_;
};

inline Parser::Mark Parser::start() {
  flush();
  return {static_cast<std::uint32_t>(nodes_.size()), token_.begin};
}

inline void Parser::set_field(Field field) {
  if (!nodes_.empty()) nodes_.back().field = field;
}

inline void Parser::close(Shape shape, Mark mark) {
  const auto size = static_cast<std::uint32_t>(nodes_.size()) - mark.index + 1;
  nodes_.push_back({mark.begin, last_end_, size, shape, Field::no_field});
}

inline void Parser::advance() {
  if (failed_) return;
  flush();
  last_end_ = token_.end;
  token_ = lexer_.next();
}

inline void Parser::leaf(Shape shape) { operator_leaf(shape, Field::no_field); }

/// The current token as a node with a field.
inline void Parser::operator_leaf(Shape shape, Field field) {
  flush();
  nodes_.push_back({token_.begin, token_.end, 1, shape, field});
  advance();
}

inline bool Parser::accept(Tok kind) {
  if (token_.kind != kind) return false;
  advance();
  return true;
}

inline void Parser::expect(Tok kind) {
  if (!accept(kind)) fail();
}

inline void Parser::flush() {
  if (lexer_.extras().empty()) return;
  for (const Extra& extra : lexer_.extras())
    nodes_.push_back({extra.begin, extra.end, 1, extra.comment ? Shape::comment : Shape::line_continuation,
                      Field::no_field});
  last_end_ = lexer_.extras().back().end;
  lexer_.extras().clear();
}

}  // namespace cutelab::source::python
