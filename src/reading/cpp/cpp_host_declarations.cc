#include <algorithm>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_expand.h"
#include "reading/cpp/cpp_host.h"

/// What a declaration of the host code makes.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr std::int64_t most_elements = 4096;

bool is_list(Node value) { return value.is(NodeKind::initializer_list) || value.is(NodeKind::argument_list); }

/// `vector` of std::vector<int>.
std::string_view template_named(Node type) {
  while (type.is(NodeKind::qualified_identifier)) type = type.child(Field::name_field);
  return type.is(NodeKind::template_type) ? type.child(Field::name_field).text() : type.text();
}

Node template_arguments_of(Node type) {
  while (type.is(NodeKind::qualified_identifier)) type = type.child(Field::name_field);
  return type.child(Field::arguments_field);
}

/// Of `(&a)[3]`, `&a`: whether it is a reference.
bool is_reference(Node declarator) {
  for (Node n = declarator; n;) {
    if (n.kind_name() == "reference_declarator") return true;
    const Node inner = n.child(Field::declarator_field);
    n = inner ? inner : n.kind_name() == "parenthesized_declarator" ? cpp_items(n)[0] : Node();
  }
  return false;
}
}  // namespace

void CppHostRun::declare(Node declaration, Scope& scope) {
  if (cpp_has(cpp_specifiers(declaration), "extern")) return;
  if (declaration.child(Field::type_field).kind_name() == "enum_specifier")
    enumerate(declaration.child(Field::type_field), scope);
  for (const CppDeclared& one : cpp_declarators(declaration)) {
    declare_one(declaration, one, scope);
    if (stopped_) return;
  }
}

void CppHostRun::declare_one(Node declaration, const CppDeclared& one, Scope& scope) {
  const Node type = declaration.child(Field::type_field);
  const bool init = one.declarator.is(NodeKind::init_declarator);
  const Node declarator = init ? one.declarator.child(Field::declarator_field) : one.declarator;
  if (declarator.is(NodeKind::function_declarator)) {
    const auto taken = cpp_items(declarator.child(Field::parameters_field));
    const bool object = !taken.empty() && std::all_of(taken.begin(), taken.end(), [&](Node p) {
      return found(p.child(Field::type_field).text(), scope) != nullptr;
    });
    if (!object) return;
  }
  if (const Node binding = cpp_binding_of(declarator)) {
    const bool reference = is_reference(declarator);
    Thing* whole = eval(one.value, scope);
    return declare_binding(binding, reference ? whole : copy(whole), reference, scope);
  }
  const std::string_view name = cpp_declared_name(declarator).text();
  const bool stays = cpp_has(cpp_specifiers(declaration), "static");
  if (stays && statics_.count(declarator.index())) {
    scope.names[name] = statics_[declarator.index()];
    return;
  }
  Thing* made_one = declared_object(type, declarator, one.value, scope);
  if (stopped_) return;
  scope.names[name] = made_one;
  if (stays) statics_[declarator.index()] = made_one;
  const bool of_class = made_one->is(Kind::record) && made_one->value.node;
  if (of_class && !stays && !is_reference(declarator) && destructor_of(made_one->value.node))
    scope.leave.push_back(made_one);
}

/// `auto [a, b] = whole`
void CppHostRun::declare_binding(Node binding, Thing* whole, bool by_reference, Scope& scope) {
  const auto names = cpp_items(binding);
  const bool parts =
      (whole->is(Kind::record) || whole->is(Kind::array)) && whole->parts.size() == names.size();
  if (!parts && by_reference) poison(whole);
  for (std::size_t i = 0; i < names.size(); ++i)
    scope.names[names[i].text()] =
        parts ? whole->parts[i].second : unknown("a part that is not known", binding);
}

/// A value as an object of that type holds it.
CppHostRun::Thing* CppHostRun::converted(Thing* given, Node type, Scope& scope) {
  if (stopped_) return given;
  if (type.kind_name() == "placeholder_type_specifier" || !type) {
    Thing* out = copy(given);
    if (out->is(Kind::value) && out->value.integer() && out->holds.empty()) out->holds = untold_type;
    return out;
  }
  if (type.text() == "dim3") return extents({given});
  std::string holds;
  if (cpp_integer_type(type.text()) || type.text() == "float" || type.text() == "double") {
    holds = type.text();
  } else {
    const CppValue meant = fold(type, scope);
    if (meant.is(CppKind::type) && !meant.node && cpp_type_named(meant.text).known()) holds = meant.text;
    if (meant.is(CppKind::structure) && meant.node && !given->is(Kind::record)) {
      if (given->is(Kind::unknown)) return unknown("an object that is not known", type);
      return object(meant, type, {given}, Node(), scope);
    }
    if (meant.is(CppKind::structure) && meant.node && !(meant.node == given->value.node)) {
      stop(type);
      return unknown();
    }
    if (!meant.known() && !found(type.text(), scope)) return unseen(type, type.text(), {given});
  }
  Thing* out = made(Kind::unknown);
  out->holds = holds;
  assign(out, given);
  if (out->is(Kind::value) && out->value.integer() && out->holds.empty()) out->holds = untold_type;
  return out;
}

/// `dim3 g(a, b);` of variables a and b
CppHostRun::Thing* CppHostRun::object_like_function(Node type, Node declarator, Scope& scope) {
  Things given;
  for (const Node p : cpp_items(declarator.child(Field::parameters_field))) {
    Thing* one = found(p.child(Field::type_field).text(), scope);
    const Node also = p.child(Field::declarator_field);
    Thing* other = also ? found(cpp_declared_name(also).text(), scope) : nullptr;
    if (also && (!other || !one->value.integer() || !other->value.integer())) return stop(p);
    if (also) one = of_value(cpp_arithmetic(also.text().substr(0, 1), one->value, other->value));
    given.push_back(one);
  }
  if (type.text() == "dim3") return extents(given);
  const CppValue meant = fold(type, scope);
  if (meant.is(CppKind::structure) && meant.node) return object(meant, type, given, Node(), scope);
  return given.size() == 1 ? converted(given[0], type, scope) : unseen(type, type.text(), given);
}

/// What a declarator of that type and value names: an object of its own, or the one that it is bound to.
CppHostRun::Thing* CppHostRun::declared_object(Node type, Node declarator, Node value, Scope& scope) {
  if (declarator.is(NodeKind::init_declarator)) declarator = declarator.child(Field::declarator_field);
  if (is_reference(declarator)) {
    const auto items = is_list(value) ? cpp_items(value) : std::vector<Node>{value};
    return items.size() == 1 && items[0] ? eval(items[0], scope) : stop(value);
  }
  if (declarator.is(NodeKind::array_declarator)) return known_sequence(declarator, value, scope);
  const bool pointer = declarator.kind_name() == "pointer_declarator";
  if (declarator.is(NodeKind::function_declarator) && !value)
    return object_like_function(type, declarator, scope);
  if (value && !is_list(value)) {
    Thing* given = eval(value, scope);
    if (pointer || declarator.is(NodeKind::function_declarator) || cpp_has(declarator.text(), "*"))
      return copy(given);
    return converted(given, type, scope);
  }
  if (pointer) {
    if (value && cpp_items(value).size() == 1 &&
        declarator.child(Field::declarator_field).is(NodeKind::identifier))
      return copy(eval(cpp_items(value)[0], scope));
    if (value) poison_mentioned(value, scope);
    return unknown();
  }
  if (type.text() == "dim3") {
    if (value && cpp_items(value).size() == 1 && cpp_items(value)[0].is(NodeKind::initializer_list))
      value = cpp_items(value)[0];
    Things given;
    for (const Node one : cpp_items(value)) given.push_back(eval(one, scope));
    return extents(given);
  }
  const std::string_view known = template_named(type);
  if (known == "vector" || known == "array") return known_sequence(type, value, scope);
  const CppValue meant = fold(type, scope);
  if (meant.is(CppKind::structure) && meant.node) {
    const bool braces = value.is(NodeKind::initializer_list);
    bool any = false;
    constructor_for(meant.node, cpp_items(value).size(), any);
    if (braces && !any) return object(meant, type, {}, value, scope);
    return object(meant, type, arguments_of(value, scope), Node(), scope);
  }
  return library_object(type, declarator, value, meant, scope);
}

/// A number, a record of the runtime, or an object of a class that is not seen.
CppHostRun::Thing* CppHostRun::library_object(Node type, Node declarator, Node value, const CppValue& meant,
                                              Scope& scope) {
  const std::string_view known = template_named(type);
  const CppValue record = cpp_record_named(known);
  if (record.known()) {
    if (!cpp_items(value).empty() && cpp_items(value)[0].text() != "0")
      return unseen(type, known, arguments_of(value, scope));
    Thing* out = of_value(record);
    for (auto& [name, one] : out->parts)
      if (value && one->is(Kind::unknown)) assign(one, of_value(CppValue::of(0)));
    return out;
  }
  const auto items = cpp_items(value);
  const bool number = cpp_integer_type(type.text()) || (meant.is(CppKind::type) && !meant.node);
  if (items.size() == 1 && (number || meant.is(CppKind::type)))
    return converted(eval(items[0], scope), type, scope);
  if (number && items.empty()) {
    Thing* out = converted(
        value.is(NodeKind::initializer_list) ? of_value(CppValue::of(0)) : unknown("is not set", declarator),
        type, scope);
    return out;
  }
  if (items.empty() && meant.known() && !meant.is(CppKind::type)) return of_value(meant);
  if (!value)
    return meant.known() && !meant.is(CppKind::type) ? of_value(meant) : unknown("is not known", type);
  return unseen(type, known, arguments_of(value, scope));
}

CppHostRun::Thing* CppHostRun::known_sequence(Node of, Node value, Scope& scope) {
  Thing* out = sequence(of, value, scope);
  if (out->is(Kind::unknown) && value) poison_mentioned(value, scope);
  return out;
}

/// An array, std::array or std::vector by its elements or their number.
CppHostRun::Thing* CppHostRun::sequence(Node of, Node value, Scope& scope) {
  const bool plain = of.is(NodeKind::array_declarator), grows = template_named(of) == "vector";
  Node type = of.parent().is(NodeKind::init_declarator) ? of.parent().parent().child(Field::type_field)
                                                        : of.parent().child(Field::type_field);
  std::optional<std::int64_t> count;
  const auto items = cpp_items(value);
  if (plain) {
    if (!of.child(Field::declarator_field).is(NodeKind::identifier) &&
        !of.child(Field::declarator_field).is(NodeKind::field_identifier) &&
        !of.child(Field::declarator_field).is(NodeKind::array_declarator))
      return unknown("an array of pointers", of);
    if (of.child(Field::declarator_field).is(NodeKind::array_declarator))
      return unknown("an array of arrays", of);
    for (const Node one : cpp_items(of))
      if (!(one == of.child(Field::declarator_field))) {
        count = fold(one, scope).integer();
        if (!count) return unknown("an array of a length that is not known", of);
      }
  } else {
    const auto given = cpp_items(template_arguments_of(of));
    if (given.empty() || (!grows && given.size() < 2)) return unknown("a sequence that is not known", of);
    type = given[0];
    if (!grows) count = fold(given[1], scope).integer();
    if (!grows && !count) return unknown("an array of a length that is not known", of);
  }
  if (type.is(NodeKind::type_descriptor) && cpp_items(type).size() == 1) type = cpp_items(type)[0];
  Thing* out = made(Kind::array);
  out->grows = grows;
  const bool listed = value.is(NodeKind::initializer_list);
  const bool repeated = grows && value.is(NodeKind::argument_list);
  if (repeated && !items.empty()) {
    count = eval(items[0], scope)->value.integer();
    if (!count || items.size() > 2) return unknown("a vector that is not known", of);
  } else if (value && !listed) {
    const Thing* given = eval(value, scope);
    return given->is(Kind::array) ? copy(given) : unknown("a sequence that is not known", of);
  }
  const auto length = count ? *count : static_cast<std::int64_t>(items.size());
  if (length < 0 || length > most_elements || (listed && static_cast<std::int64_t>(items.size()) > length))
    return unknown("a sequence that is too long", of);
  for (std::int64_t i = 0; i < length && !stopped_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    Thing* one = nullptr;
    if (listed && at < items.size()) {
      one = declared_object(type, Node(), items[at], scope);
    } else if (repeated && items.size() == 2) {
      one = converted(eval(items[1], scope), type, scope);
    } else {
      one = declared_object(type, Node(), Node(), scope);
      if ((listed || repeated) && one->is(Kind::unknown) && !one->holds.empty())
        assign(one, of_value(CppValue::of(0)));
    }
    out->parts.emplace_back("", one);
  }
  return out;
}

}  // namespace cutelab::reading
