#pragma once
#include <cstdint>
#include <string_view>

namespace cutelab::source {

// clang-format off
/// Grammar symbols the rooms above ask for by name, of both grammars; everything else is `other`.
#define CUTELAB_SOURCE_KINDS(X) \
  X(module) X(block) X(identifier) X(integer) X(string) X(none) X(comment) X(dotted_name) \
  X(import_statement) X(import_from_statement) X(future_import_statement) X(aliased_import) X(relative_import) X(import_prefix) \
  X(wildcard_import) X(expression_statement) X(named_expression) X(return_statement) X(if_statement) X(elif_clause) X(else_clause) \
  X(for_statement) X(while_statement) X(try_statement) X(except_clause) X(finally_clause) X(with_statement) X(with_item) X(assert_statement) \
  X(raise_statement) X(function_definition) X(parameters) X(lambda) X(class_definition) X(argument_list) X(decorated_definition) \
  X(decorator) X(expression_list) X(pattern_list) X(tuple_pattern) X(list_pattern) X(default_parameter) X(typed_parameter) \
  X(typed_default_parameter) X(list_splat) X(list_splat_pattern) X(dictionary_splat) X(dictionary_splat_pattern) X(list_comprehension) \
  X(generator_expression) X(for_in_clause) X(not_operator) X(boolean_operator) X(binary_operator) X(unary_operator) \
  X(comparison_operator) X(assignment) X(augmented_assignment) X(attribute) X(subscript) X(slice) X(call) X(type) X(keyword_argument) \
  X(list) X(tuple) X(dictionary) X(pair) X(parenthesized_expression) X(conditional_expression) X(string_content) X(interpolation) \
  X(concatenated_string) X(keyword_separator) X(positional_separator) X(match_statement) X(case_clause) X(pass_statement) \
  X(translation_unit) X(call_expression) X(kernel_call_syntax) X(compound_statement) X(declaration) X(field_declaration) X(init_declarator) \
  X(function_declarator) X(struct_specifier) X(class_specifier) X(union_specifier) X(field_identifier) X(type_identifier) X(namespace_identifier) \
  X(qualified_identifier) X(template_function) X(template_type) X(template_method) X(template_argument_list) X(field_expression) \
  X(number_literal) X(string_literal) X(char_literal) X(binary_expression) X(unary_expression) X(alias_declaration) X(type_definition) \
  X(using_declaration) X(preproc_include) X(preproc_def) X(preproc_if) X(preproc_ifdef) X(preproc_elif) X(preproc_else) X(preproc_function_def) X(launch_bounds) \
  X(template_declaration) X(type_descriptor) X(condition_clause) X(do_statement) X(switch_statement) X(case_statement) \
  X(parameter_list) X(parameter_declaration) X(optional_parameter_declaration) X(field_declaration_list) X(base_class_clause) \
  X(storage_class_specifier) X(type_qualifier) X(alignas_qualifier) X(gnu_asm_expression) X(assignment_expression) X(lambda_expression) \
  X(namespace_definition) X(declaration_list) X(initializer_list) X(array_declarator) X(primitive_type) X(for_range_loop) \
  X(break_statement) X(continue_statement) X(global_statement) X(nonlocal_statement) X(delete_statement) X(yield) X(ellipsis) \
  X(set) X(set_comprehension) X(dictionary_comprehension) X(if_clause) X(as_pattern) X(as_pattern_target) X(generic_type) X(type_parameter) \
  X(format_specifier) X(escape_sequence) X(raw_string_literal) X(preproc_arg) X(system_lib_string) X(subscript_expression) X(pointer_expression) X(cast_expression)

/// Grammar fields asked for by name.
#define CUTELAB_SOURCE_FIELDS(X) \
  X(alias) X(alternative) X(argument) X(arguments) X(attribute) X(body) X(condition) X(consequence) X(declarator) X(default_value) X(default_type) X(definition) X(expression) \
  X(field) X(function) X(key) X(left) X(module_name) X(name) X(object) X(operators) X(parameters) X(return_type) X(right) X(scope) \
  X(subject) X(subscript) X(superclasses) X(type) X(value) X(path) X(initializer) X(update) X(index)
// clang-format on

enum class Kind : std::uint16_t {
  none_at_all,  ///< no node
  other,        ///< a symbol without a name here
  error,        ///< ERROR
  op,           ///< an operator token ("+", "and", "<=")
  true_literal,
  false_literal,
  float_literal,
#define CUTELAB_ONE(name) name,
  CUTELAB_SOURCE_KINDS(CUTELAB_ONE)
#undef CUTELAB_ONE
};

enum class Field : std::uint8_t {
  no_field,
  operator_token,
#define CUTELAB_ONE(name) name##_field,
  CUTELAB_SOURCE_FIELDS(CUTELAB_ONE)
#undef CUTELAB_ONE
};

/// By the grammar's own name; `other` / `no_field` where it has no name here.
Kind kind_named(std::string_view name);
Field field_named(std::string_view name);

}  // namespace cutelab::source
