#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace cutelab::source::python {

// clang-format off
/// The named symbols of the grammar that this parser makes, by the grammar's names.
#define CUTELAB_PYTHON_SHAPES(X) \
  X(module) X(import_statement) X(import_prefix) X(relative_import) X(future_import_statement) X(import_from_statement) \
  X(aliased_import) X(wildcard_import) X(dotted_name) X(assert_statement) X(expression_statement) X(named_expression) X(return_statement) \
  X(delete_statement) X(raise_statement) X(pass_statement) X(break_statement) X(continue_statement) X(global_statement) \
  X(nonlocal_statement) X(if_statement) X(elif_clause) X(else_clause) X(for_statement) X(while_statement) X(try_statement) \
  X(except_clause) X(except_group_clause) X(finally_clause) X(with_statement) X(with_clause) X(with_item) X(function_definition) \
  X(parameters) X(lambda_parameters) X(list_splat) X(dictionary_splat) X(class_definition) X(type_parameter) X(argument_list) \
  X(decorated_definition) X(decorator) X(block) X(expression_list) X(pattern_list) X(tuple_pattern) X(list_pattern) \
  X(default_parameter) X(typed_default_parameter) X(typed_parameter) X(list_splat_pattern) X(dictionary_splat_pattern) \
  X(keyword_separator) X(positional_separator) X(as_pattern) X(as_pattern_target) X(not_operator) X(boolean_operator) \
  X(binary_operator) X(unary_operator) X(comparison_operator) X(lambda) X(assignment) X(augmented_assignment) X(yield) \
  X(attribute) X(subscript) X(slice) X(ellipsis) X(call) X(type) X(splat_type) X(generic_type) X(union_type) X(keyword_argument) \
  X(list) X(set) X(tuple) X(dictionary) X(pair) X(list_comprehension) X(dictionary_comprehension) X(set_comprehension) \
  X(generator_expression) X(parenthesized_expression) X(for_in_clause) X(if_clause) X(conditional_expression) \
  X(concatenated_string) X(string) X(string_start) X(string_content) X(string_end) X(escape_interpolation) X(escape_sequence) \
  X(interpolation) X(format_specifier) X(format_expression) X(type_conversion) X(integer) X(identifier) \
  X(await) X(comment) X(line_continuation) X(match_statement) X(case_clause) X(case_pattern) X(class_pattern) X(splat_pattern) \
  X(union_pattern) X(dict_pattern) X(keyword_pattern) X(complex_pattern)

/// Operator tokens, which are kept because they carry a field.
#define CUTELAB_PYTHON_OPERATORS(X) \
  X(plus, "+") X(minus, "-") X(star, "*") X(at, "@") X(slash, "/") X(percent, "%") X(double_slash, "//") X(power, "**") X(pipe, "|") \
  X(ampersand, "&") X(caret, "^") X(shift_left, "<<") X(shift_right, ">>") X(tilde, "~") X(k_and, "and") X(k_or, "or") \
  X(less, "<") X(less_equal, "<=") X(equal, "==") X(not_equal, "!=") X(greater_equal, ">=") X(greater, ">") X(k_in, "in") X(k_is, "is") \
  X(not_in, "not in") X(is_not, "is not") \
  X(plus_assign, "+=") X(minus_assign, "-=") X(star_assign, "*=") X(slash_assign, "/=") X(at_assign, "@=") \
  X(double_slash_assign, "//=") X(percent_assign, "%=") X(power_assign, "**=") X(shift_right_assign, ">>=") \
  X(shift_left_assign, "<<=") X(ampersand_assign, "&=") X(caret_assign, "^=") X(pipe_assign, "|=")
// clang-format on

/// What a node is, before the grammar's numbers are known.
enum class Shape : std::uint8_t {
  true_literal,
  false_literal,
  none_literal,
  float_literal,
#define CUTELAB_ONE(name) name,
  CUTELAB_PYTHON_SHAPES(CUTELAB_ONE)
#undef CUTELAB_ONE
#define CUTELAB_ONE(name, text) op_##name,
      CUTELAB_PYTHON_OPERATORS(CUTELAB_ONE)
#undef CUTELAB_ONE
          count
};

struct ShapeName {
  std::string_view symbol;  ///< the grammar's name
  bool named;               ///< else a token
};

inline constexpr std::array<ShapeName, static_cast<std::size_t>(Shape::count)> shape_names = {
    {{"true", true},
     {"false", true},
     {"none", true},
     {"float", true},
#define CUTELAB_ONE(name) {#name, true},
     CUTELAB_PYTHON_SHAPES(CUTELAB_ONE)
#undef CUTELAB_ONE
#define CUTELAB_ONE(name, text) {text, false},
         CUTELAB_PYTHON_OPERATORS(CUTELAB_ONE)
#undef CUTELAB_ONE
    }};

}  // namespace cutelab::source::python
