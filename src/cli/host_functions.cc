#include "cli/host_functions.h"

#include "base/text.h"
#include "cli/host_expression.h"

namespace cutelab::cli {
namespace {
using source::Field;
using source::Kind;
using source::Node;

std::string scope_of(Node node) {
  std::string scope;
  for (Node at = node.parent(); at; at = at.parent())
    if (at.is(Kind::namespace_definition) && at.child(Field::name_field))
      scope = std::string(at.child(Field::name_field).text()) + "::" + scope;
  return scope;
}

HostParameter parameter_of(Node node) {
  HostParameter parameter;
  const Node declarator = node.child(Field::declarator_field);
  parameter.name = std::string(declared_name(declarator).text());
  parameter.optional = node.is(Kind::optional_parameter_declaration);
  std::string text(node.text());
  if (parameter.optional) text = text.substr(0, text.find('='));
  parameter.pointer = text.find('*') != std::string::npos;
  const std::string before = text.substr(0, text.find('*'));
  for (const auto word : split(before, ' '))
    if (word == "const") parameter.constant = true;
  parameter.type = std::string(node.child(Field::type_field).text());
  return parameter;
}

/// What stands before the name: attributes and the type of the result.
std::string head_of(Node function) {
  const Node declarator = function.child(Field::declarator_field);
  return std::string(function.text().substr(0, declarator.first_byte() - function.first_byte()));
}

bool is_device_code(const std::string& head) {
  if (head.find("__global__") != std::string::npos) return true;
  return head.find("__device__") != std::string::npos && head.find("__host__") == std::string::npos;
}

/// What the function's body calls, and whether that launches.
void note_calls(const source::Tree& tree, Node function, HostFunction& made) {
  for (const Node call : tree.all({Kind::call_expression})) {
    if (!function.contains(call)) continue;
    for (const Node child : call.children()) made.launches |= child.is(Kind::kernel_call_syntax);
    const std::string name(call.child(Field::function_field).text());
    made.launches |= to_lower(name).find("launch") != std::string::npos;
    made.calls.push_back(name.substr(0, name.find('<')));
  }
}

Node function_declarator_of(Node declarator) {
  while (declarator && !declarator.is(Kind::function_declarator))
    declarator = declarator.child(Field::declarator_field);
  return declarator;
}

bool inside_function(Node node) {
  for (Node at = node.parent(); at; at = at.parent())
    if (at.is(Kind::function_definition) || at.is(Kind::struct_specifier) || at.is(Kind::class_specifier) ||
        at.is(Kind::lambda_expression))
      return true;
  return false;
}

}  // namespace

Node declared_name(Node declarator) {
  while (declarator) {
    if (declarator.is(Kind::identifier) || declarator.is(Kind::field_identifier)) return declarator;
    Node below = declarator.child(Field::declarator_field);
    if (!below)
      for (const Node child : declarator.children())
        if (child.is(Kind::identifier) || child.child(Field::declarator_field)) below = child;
    declarator = below;
  }
  return {};
}

HostFile host_file(const source::Tree& tree) {
  HostFile file;
  for (const Node function : tree.all({Kind::function_definition})) {
    const Node declarator = function_declarator_of(function.child(Field::declarator_field));
    if (!declarator || inside_function(function)) continue;
    const std::string name(declarator.child(Field::declarator_field).text());
    if (name == "main") {
      file.main = function.child(Field::body_field);
      continue;
    }
    const std::string head = head_of(function);
    const bool kernel = head.find("__global__") != std::string::npos;
    if (is_device_code(head) && !kernel) continue;
    HostFunction made;
    made.qualified = scope_of(function) + name;
    made.line = function.line();
    for (const Node parameter : declarator.child(Field::parameters_field).children())
      if (parameter.is(Kind::parameter_declaration) || parameter.is(Kind::optional_parameter_declaration))
        made.parameters.push_back(parameter_of(parameter));
    if (kernel) {
      file.kernels.push_back(std::move(made));
      continue;
    }
    note_calls(tree, function, made);
    file.functions.emplace(name, std::move(made));
  }
  for (const Node alias : tree.all({Kind::alias_declaration}))
    if (!inside_function(alias))
      file.aliases[std::string(alias.child(Field::name_field).text())] =
          std::string(trim(alias.child(Field::type_field).text()));
  return file;
}

}  // namespace cutelab::cli
