#include <algorithm>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_folder.h"

/// Structs: what their scope names, their objects, their methods.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr int deepest_base = 8;

bool is_type(Node n) {
  return n.is(NodeKind::type_identifier) || n.is(NodeKind::qualified_identifier) ||
         n.is(NodeKind::template_type);
}

std::vector<Node> bases_of(Node structure) {
  std::vector<Node> out;
  for (const Node n : structure.children())
    if (n.is(NodeKind::base_class_clause))
      for (const Node base : n.children())
        if (is_type(base)) out.push_back(base);
  return out;
}

/// A struct that is made by a function of its own, not by its members' values in order.
bool has_constructor(Node structure) {
  std::string_view name = structure.child(Field::name_field).text();
  if (structure.child(Field::name_field).is(NodeKind::template_type))
    name = structure.child(Field::name_field).child(Field::name_field).text();
  for (Node member : structure.child(Field::body_field).children()) {
    if (member.is(NodeKind::template_declaration))
      for (const Node inner : member.children())
        if (inner.is(NodeKind::function_definition) || inner.is(NodeKind::declaration)) member = inner;
    const Node declarator = member.child(Field::declarator_field);
    if (declarator.is(NodeKind::function_declarator) &&
        declarator.child(Field::declarator_field).text() == name && !member.child(Field::type_field) &&
        member.text().find("= default") == std::string_view::npos)
      return true;
  }
  return false;
}
}  // namespace

/// What a struct's scope has under a name: a constant, a type, an enumerator; unknown with an empty text: no
/// such. `of_type`: asked as `S::name`.
CppValue CppFolder::member_named(const CppValue& structure, std::string_view name, bool of_type, int depth) {
  Frame bound;
  bound.scope =
      structure.node.parent().is(NodeKind::template_declaration) ? structure.node.parent() : structure.node;
  for (const auto& [field, value] : structure.fields) bound.names.insert_or_assign(field, value);
  if (CppValue own = own_member(structure, name, of_type, &bound); own.known() || !own.text.empty())
    return own;
  for (const Node base : bases_of(structure.node)) {
    if (depth > deepest_base) break;
    const CppValue from = evaluate(base, &bound);
    if (!from.is(CppKind::structure)) {
      if (!from.known()) return from;
      continue;
    }
    if (CppValue there = member_named(from, name, of_type, depth + 1); there.known() || !there.text.empty())
      return there;
  }
  return {};
}

CppValue CppFolder::own_member(const CppValue& structure, std::string_view name, bool of_type, Frames bound) {
  for (const Node member : structure.node.child(Field::body_field).children()) {
    const Node type = member.child(Field::type_field);
    if (member.is(NodeKind::alias_declaration) && member.child(Field::name_field).text() == name)
      return evaluate(type, bound);
    if (member.is(NodeKind::type_definition) && member.child(Field::declarator_field).text() == name)
      return evaluate(type, bound);
    if (!member.is(NodeKind::field_declaration)) continue;
    if (type.kind_name() == "enum_specifier") {
      if (type.child(Field::name_field).text() == name) return of_enumeration(type);
      if (!type.text().starts_with("enum class") && !type.text().starts_with("enum struct"))
        for (const Node one : cpp_items(type.child(Field::body_field)))
          if (one.child(Field::name_field).text() == name) return enumerator(one, bound);
    }
    if (type.child(Field::body_field) && type.child(Field::name_field).text() == name) {
      CppValue out;
      out.kind = CppKind::structure;
      out.node = type;
      out.text = name;
      out.fields = structure.fields;
      return out;
    }
    for (const CppDeclared& one : cpp_declarators(member)) {
      if (cpp_declared_name(one.declarator).text() != name || !one.value) continue;
      if (of_type && one.declarator.is(NodeKind::field_identifier) &&
          cpp_specifiers(member).find("constexpr") != std::string_view::npos)
        return as_type(evaluate(one.value, bound), type, bound);
      return of_member(member, one.declarator, one.value, bound);
    }
  }
  return {};
}

/// What `scope::name` names where these sources tell what the scope is; unknown with an empty text where the
/// scope is a namespace.
CppValue CppFolder::member_of_scope(Node n, Node scope, Node name, Frames frame) {
  if (!scope || scope.is(NodeKind::none_at_all)) return {};
  const Node inner = scope.is(NodeKind::qualified_identifier) ? scope.child(Field::name_field) : scope;
  const bool written_type = !inner.is(NodeKind::namespace_identifier) && !inner.is(NodeKind::identifier);
  const Node declared_as = choose(inner.text(), n);
  bool parameter = false;
  for (Frames f = frame; f && !parameter; f = f->outer)
    parameter = (!f->scope || f->scope.contains(n)) && f->names.count(inner.text()) > 0;
  for (Node up = n.parent(); up && !parameter; up = up.parent())
    if (up.is(NodeKind::template_declaration)) {
      const CppValue given = template_parameter(up, inner.text(), n);
      parameter = given.known() || !given.text.empty();
    }
  if (!written_type && !declared_as && !parameter) return {};
  const CppValue type = written_type ? evaluate(inner, frame) : named(inner, inner.text(), frame);
  if (type.is(CppKind::threads) && name.text() == "AtomThrID")
    for (const auto& [field, value] : type.fields)
      if (field == "ctas") return value;
  if (type.is(CppKind::type) && type.node)  // E::name
    for (const Node one : cpp_items(type.node.child(Field::body_field)))
      if (one.child(Field::name_field).text() == name.text()) return enumerator(one, frame);
  if (type.is(CppKind::structure) && type.node) {
    const Node last =
        name.is(NodeKind::template_type) || name.is(NodeKind::template_function) ? Node() : name;
    if (CppValue there = last ? member_named(type, last.text(), true) : CppValue();
        there.known() || !there.text.empty())
      return there;
  }
  return CppValue::unknown("a member of a type that is not known here", std::string(n.text().substr(0, 60)),
                           n);
}

/// A record of a library by its members in order; what braces leave out is zero.
CppValue CppFolder::library_record(CppValue record, Node braces, Frames frame) {
  const auto items = cpp_items(braces);
  for (std::size_t i = 0; i < items.size() && i < record.fields.size(); ++i) {
    CppValue given = items[i].is(NodeKind::initializer_list)
                         ? library_call("dim3", items[i], values_of(items[i], frame), {}, frame)
                         : evaluate(items[i], frame);
    CppValue& held = record.fields[i].second;
    held = held.is(CppKind::tuple) ? cpp_as_dim3(std::move(given)) : std::move(given);
  }
  for (std::size_t i = items.size(); braces && i < record.fields.size(); ++i)
    if (!record.fields[i].second.known()) record.fields[i].second = CppValue::of(0);
  return record;
}

namespace {
/// What braces give the member of that name, which is the `next` of its struct.
Node given_for(const std::vector<Node>& items, std::size_t next, std::string_view name) {
  if (items.empty() || items[0].kind_name() != "initializer_pair")
    return next < items.size() ? items[next] : Node();
  for (const Node pair : items)
    if (cpp_items(pair)[0].text() == "." + std::string(name)) return pair.child(Field::value_field);
  return {};
}
}  // namespace

/// One member of a new object: by what is given, by its class's default, by zero where braces leave it out.
CppValue CppFolder::member_value(Node member, const CppDeclared& one, Node given, bool zeroed, Frames frame,
                                 Frames own) {
  const Node held = member.child(Field::type_field), from = given ? given : one.value;
  const bool listed = from.is(NodeKind::initializer_list), extents = held.text() == "dim3";
  const CppValue none = CppValue::unknown("a member that is not given",
                                          std::string(cpp_declared_name(one.declarator).text()), member);
  if (!one.declarator.is(NodeKind::field_identifier)) return none;
  if (!from) {
    if (extents) return cpp_as_dim3(CppValue::of(1));
    return zeroed && cpp_integer_type(held.text()) ? CppValue::of(0) : none;
  }
  const Frames seen = given ? frame : own;
  if (extents && listed) return library_call("dim3", from, values_of(from, seen), {}, seen);
  if (!listed) {
    CppValue out = as_type(evaluate(from, seen), held, own);
    return extents ? cpp_as_dim3(std::move(out)) : out;
  }
  const CppValue made = evaluate(held, own);
  return made.known() ? object(made, from, seen) : none;
}

/// Type{…}: the members of a plain struct, those of its bases first, in order or by name; a fixed value for
/// any other type.
CppValue CppFolder::object(const CppValue& type, Node braces, Frames frame) {
  const auto items = cpp_items(braces);
  if (!type.is(CppKind::structure)) {
    if (type.is(CppKind::type) && items.size() == 1) {
      const CppValue given = evaluate(items[0], frame);
      return given.integer() && cpp_integer_type(type.text) ? cpp_converted(given, type.text) : given;
    }
    return type;
  }
  if (!type.node) return library_record(type, braces, frame);
  if (items.size() == 1 && !items[0].is(NodeKind::initializer_list))
    if (CppValue copied = evaluate(items[0], frame);
        copied.is(CppKind::structure) && copied.node == type.node)
      return copied;
  const auto bases = bases_of(type.node);
  if (has_constructor(type.node) || (!bases.empty() && !items.empty()))
    return CppValue::unknown("an object that a constructor makes", type.text, braces ? braces : type.node);
  CppValue out = type;
  Frame bound;
  bound.scope = type.node;
  for (const auto& [field, value] : type.fields) bound.names.insert_or_assign(field, value);
  for (const Node base : bases) {
    const CppValue from = evaluate(base, &bound);
    if (!from.is(CppKind::structure)) continue;
    const CppValue part = object(from, Node(), frame);
    if (!part.known()) return part;
    out.fields.insert(out.fields.end(), part.fields.begin(), part.fields.end());
  }
  std::size_t next = 0;
  for (const Node member : type.node.child(Field::body_field).children()) {
    if (!member.is(NodeKind::field_declaration) ||
        cpp_specifiers(member).find("static") != std::string_view::npos)
      continue;
    for (const CppDeclared& one : cpp_declarators(member)) {
      if (one.declarator.is(NodeKind::function_declarator)) continue;
      const std::string name(cpp_declared_name(one.declarator).text());
      const bool hides =
          std::any_of(out.fields.begin(), out.fields.end(), [&](auto& f) { return f.first == name; });
      if (hides)  // a base has one of that name
        return CppValue::unknown("members of one name in a struct and its base", type.text, type.node);
      const Node given = given_for(items, next++, name);
      if (one.declarator.is(NodeKind::array_declarator) && given && !given.is(NodeKind::initializer_list))
        return CppValue::unknown("braces that are left out", type.text, braces);
      out.fields.emplace_back(name, member_value(member, one, given, bool(braces), frame, &bound));
    }
  }
  return out;
}

/// A struct's own method of that name, else its base's; `members`: what its body sees of the object.
Node CppFolder::method_of(const CppValue& object, std::string_view name, std::size_t given, Frame& members) {
  members.scope =
      object.node.parent().is(NodeKind::template_declaration) ? object.node.parent() : object.node;
  for (const auto& [field, value] : object.fields) members.names.insert_or_assign(field, value);
  Node found;
  for (Node member : object.node.child(Field::body_field).children()) {
    if (member.is(NodeKind::template_declaration))
      for (const Node inner : member.children())
        if (inner.is(NodeKind::function_definition)) member = inner;
    if (!member.is(NodeKind::function_definition) || cpp_function_name(member).text() != name) continue;
    std::size_t most = 0, least = 0;
    for (const Node p : cpp_items(cpp_parameters_of(member))) {
      ++most;
      if (!p.is(NodeKind::optional_parameter_declaration)) ++least;
    }
    if (given < least || given > most) continue;
    if (found) return {};  // several
    found = member;
  }
  return found;
}

CppValue CppFolder::method_call(Node n, const CppValue& object, std::string_view name,
                                const std::vector<CppValue>& arguments) {
  const CppValue not_known = CppValue::unknown(
      "a method that is not known", std::string(n.child(Field::function_field).text().substr(0, 60)), n);
  CppValue at = object;
  for (int depth = 0; depth < deepest_base && at.node; ++depth) {
    Frame members;
    if (const Node method = method_of(at, name, arguments.size(), members); method) {
      if (at.node.tree() == n.tree() && method.contains(n) && running_ == 0) return not_known;
      return constexpr_call(method, arguments, &members);
    }
    const auto bases = bases_of(at.node);
    if (bases.size() != 1) break;
    const CppValue base = evaluate(bases[0], &members);
    if (!base.is(CppKind::structure)) return not_known;
    CppValue next = base;
    next.fields.insert(next.fields.end(), at.fields.begin(), at.fields.end());
    at = std::move(next);
  }
  return not_known;
}

}  // namespace cutelab::reading
