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

bool is_device_code(Node function) {
  const Node declarator = function.child(Field::declarator_field);
  const std::string_view all = function.text();
  const std::string head(all.substr(0, declarator.first_byte() - function.first_byte()));
  if (head.find("__global__") != std::string::npos) return true;
  return head.find("__device__") != std::string::npos && head.find("__host__") == std::string::npos;
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
    if (is_device_code(function)) continue;
    HostFunction made;
    made.qualified = scope_of(function) + name;
    for (const Node parameter : declarator.child(Field::parameters_field).children())
      if (parameter.is(Kind::parameter_declaration) || parameter.is(Kind::optional_parameter_declaration))
        made.parameters.push_back(parameter_of(parameter));
    file.functions.emplace(name, std::move(made));
  }
  for (const Node alias : tree.all({Kind::alias_declaration}))
    if (!inside_function(alias))
      file.aliases[std::string(alias.child(Field::name_field).text())] =
          std::string(trim(alias.child(Field::type_field).text()));
  return file;
}

}  // namespace cutelab::cli
