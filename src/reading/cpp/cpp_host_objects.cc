#include <algorithm>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_expand.h"
#include "reading/cpp/cpp_host.h"

/// Objects of classes: their members, constructors and what they derive from.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
bool does_something(Node function) {
  const Node body = function.child(Field::body_field);
  return !body || !cpp_items(body).empty();
}

bool is_constructor(Node function, std::string_view name) {
  const Node declarator = function.child(Field::declarator_field);
  return declarator.is(NodeKind::function_declarator) && !function.child(Field::type_field) &&
         declarator.child(Field::declarator_field).text() == name;
}

/// `C(const C&)`, `C(C&&)`
bool is_copying(Node constructor, std::string_view name) {
  const auto taken = cpp_items(cpp_parameters_of(constructor));
  return taken.size() == 1 && taken[0].child(Field::type_field).text() == name &&
         taken[0].child(Field::declarator_field).text().starts_with("&");
}

bool has_error_in(Node n) {
  for (std::uint32_t i = n.index(); i < n.end_index(); ++i)
    if (n.tree()->at(i).is(NodeKind::error)) return true;
  return false;
}
}  // namespace

std::string_view class_name_of(Node structure) {
  const Node name = structure.child(Field::name_field);
  return name.is(NodeKind::template_type) ? name.child(Field::name_field).text() : name.text();
}

std::vector<Node> bases_of_class(Node structure) {
  std::vector<Node> out;
  for (const Node n : structure.children())
    if (n.is(NodeKind::base_class_clause))
      for (const Node base : n.children())
        if (base.is(NodeKind::type_identifier) || base.is(NodeKind::qualified_identifier) ||
            base.is(NodeKind::template_type))
          out.push_back(base);
  return out;
}

std::vector<Node> methods_of_class(Node structure) {
  std::vector<Node> out;
  for (Node member : structure.child(Field::body_field).children()) {
    if (member.is(NodeKind::template_declaration))
      for (const Node inner : member.children())
        if (inner.is(NodeKind::function_definition)) member = inner;
    if (member.is(NodeKind::function_definition)) out.push_back(member);
  }
  return out;
}

Node destructor_of(Node structure) {
  for (const Node one : methods_of_class(structure))
    if (cpp_function_name(one).kind_name() == "destructor_name" && one.child(Field::body_field) &&
        does_something(one))
      return one;
  return {};
}

bool is_copied_by_member(Node structure) {
  const std::string_view text = structure.text();
  if (destructor_of(structure) || cpp_has(text, "operator=(") || cpp_has(text, "operator =")) return false;
  const std::string_view name = class_name_of(structure);
  const auto all = methods_of_class(structure);
  return std::none_of(all.begin(), all.end(), [&](Node one) {
    return is_constructor(one, name) && is_copying(one, name) && one.child(Field::body_field);
  });
}

/// The one constructor that takes so many arguments; `any`: the class has some.
Node CppHostRun::constructor_for(Node structure, std::size_t given, bool& any) {
  const std::string_view name = class_name_of(structure);
  Node out;
  for (const Node one : methods_of_class(structure)) {
    if (!is_constructor(one, name) || is_copying(one, name)) continue;
    if (!one.child(Field::body_field)) continue;  // = default
    any = true;
    if (!cpp_takes(one, given)) continue;
    if (out) {
      stop(one);
      return {};
    }
    out = one;
  }
  return out;
}

/// A record with the members of a class and of those it derives from, none of them set.
CppHostRun::Thing* CppHostRun::new_record(const CppValue& type, Scope& around) {
  Thing* out = made(Kind::record);
  out->value = type;
  if (!add_members(out, type.node, around)) return stop(type.node);
  return out;
}

bool CppHostRun::add_members(Thing* record, Node structure, Scope& around) {
  if (has_error_in(structure) || cpp_has(structure.text(), cpp_open_place) ||
      structure.is(NodeKind::union_specifier) || record->parts.size() > 400)
    return false;
  for (const Node member : structure.child(Field::body_field).children()) {
    if (!member.is(NodeKind::field_declaration)) continue;
    const std::string_view head = cpp_specifiers(member);
    if (cpp_has(head, "static")) continue;
    const Node type = member.child(Field::type_field);
    if (type.child(Field::body_field) && !member.child(Field::declarator_field) &&
        (type.is(NodeKind::union_specifier) || !type.child(Field::name_field)) &&
        type.kind_name() != "enum_specifier")
      return false;  // members of an unnamed struct
    for (const CppDeclared& one : cpp_declarators(member)) {
      if (one.declarator.is(NodeKind::function_declarator) || cpp_has(one.declarator.text(), "(")) continue;
      const std::string name(cpp_declared_name(one.declarator).text());
      if (part(record, name) || one.bit_field) return false;
      record->parts.emplace_back(name, unknown("is not set", member));
    }
  }
  (void)around;
  return true;
}

/// The object of a constructor: members in their order, by its list or by their own defaults; then its body.
bool CppHostRun::construct(Thing* record, Node constructor, const Things& given, Scope& around) {
  const Node structure = record->value.node;
  Scope& scope = scopes_.emplace_back(Scope{nullptr});
  (void)around;
  for (const auto& [name, value] : record->value.fields)
    scope.names[std::string_view(name)] = of_value(value);
  scope.self = record;
  if (constructor && !bind(cpp_parameters_of(constructor), given, scope)) return false;
  std::vector<Node> list;
  for (const Node n : constructor.children())
    if (n.kind_name() == "field_initializer_list") list = cpp_items(n);
  const auto listed = [&](std::string_view name) {
    for (const Node one : list)
      if (one.first().text() == name) return cpp_items(one).back();
    return Node();
  };
  if (!bases_of_class(structure).empty()) return stop(structure), false;
  if (const Node other = listed(class_name_of(structure))) {  // another constructor does it
    const Things passed = arguments_of(other, scope);
    bool any = false;
    const Node target = constructor_for(structure, passed.size(), any);
    if (stopped_ || !target || target == constructor || ++calls_ > 2000) return stop(structure), false;
    if (!construct(record, target, passed, scope)) return false;
  } else {
    for (const Node member : structure.child(Field::body_field).children())
      if (member.is(NodeKind::field_declaration) && !cpp_has(cpp_specifiers(member), "static"))
        for (const CppDeclared& one : cpp_declarators(member)) {
          const std::string_view name = cpp_declared_name(one.declarator).text();
          for (auto& [field, held] : record->parts)
            if (field == name) {
              const Node from = listed(name) ? listed(name) : one.value;
              held = declared_object(member.child(Field::type_field), one.declarator, from, scope);
            }
          if (stopped_) return false;
        }
  }
  if (const Node body = constructor.child(Field::body_field)) {
    run(body, scope);
    result_ = nullptr;
  }
  return !stopped_;
}

/// An object without constructors: its members by what braces give them.
bool CppHostRun::fill(Thing* record, Node braces, const Things& given, Scope& scope) {
  const Node structure = record->value.node;
  if (!bases_of_class(structure).empty()) return stop(structure), false;
  const auto items = cpp_items(braces);
  const bool named = !items.empty() && items[0].kind_name() == "initializer_pair";
  Scope& own = scopes_.emplace_back(Scope{nullptr});
  for (const auto& [name, value] : record->value.fields) own.names[std::string_view(name)] = of_value(value);
  own.self = record;
  std::size_t next = 0, used = 0;
  for (const Node member : structure.child(Field::body_field).children()) {
    if (!member.is(NodeKind::field_declaration) || cpp_has(cpp_specifiers(member), "static")) continue;
    for (const CppDeclared& one : cpp_declarators(member)) {
      const std::string_view name = cpp_declared_name(one.declarator).text();
      Thing** held = nullptr;
      for (auto& [field, thing] : record->parts)
        if (field == name) held = &thing;
      if (!held) continue;
      Node from;
      for (const Node pair : items)
        if (named && cpp_items(pair)[0].text() == "." + std::string(name))
          from = pair.child(Field::value_field);
      if (!named && next < items.size()) from = items[next];
      used += from ? 1 : 0;
      const Node type = member.child(Field::type_field);
      if (!from && next < given.size())
        *held = converted(given[next], type, scope), ++used;
      else if (from)
        *held = declared_object(type, one.declarator, from, scope);
      else
        *held = declared_object(type, one.declarator, one.value, own);
      if (!from && !one.value && braces && (*held)->is(Kind::unknown) && !(*held)->holds.empty())
        assign(*held, of_value(CppValue::of(0)));
      ++next;
      if (stopped_) return false;
    }
  }
  if (used != std::max(items.size(), given.size())) stop(structure);  // braces that are left out
  return !stopped_;
}

/// An object of a class of these sources.
CppHostRun::Thing* CppHostRun::object(const CppValue& type, Node, const Things& given, Node braces,
                                      Scope& scope) {
  if (given.size() == 1 && given[0]->is(Kind::record) && given[0]->value.node == type.node)
    return copy(given[0]);
  bool any = false;
  const Node constructor = constructor_for(type.node, given.size(), any);
  if (stopped_) return unknown();
  Thing* out = new_record(type, scope);
  if (stopped_) return out;
  if (any && !constructor) return stop(type.node);
  if (cpp_has(type.node.text(), "using ") && !bases_of_class(type.node).empty()) return stop(type.node);
  if (any || (given.empty() && !braces))
    construct(out, constructor, given, scope);
  else
    fill(out, braces, braces ? Things() : given, scope);
  return stopped_ ? unknown() : out;
}

}  // namespace cutelab::reading
