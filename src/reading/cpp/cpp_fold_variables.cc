#include <algorithm>

#include "base/text.h"
#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_folder.h"

/// Names and what they are declared with: variables, members, parameters.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
struct NamedRecord {
  std::string_view name;
  std::vector<std::string_view> members;
};
const NamedRecord named_records[] = {
    {"cudaLaunchConfig_t", {"gridDim", "blockDim", "dynamicSmemBytes", "stream", "attrs", "numAttrs"}},
    {"ClusterLaunchParams",
     {"grid_dims", "block_dims", "cluster_dims", "smem_size_in_bytes", "cuda_stream"}}};

bool is_dim3_member(std::string_view name) { return name.ends_with("Dim") || name.ends_with("_dims"); }
}  // namespace

std::vector<CppDeclared> cpp_declarators(Node declaration) {
  std::vector<CppDeclared> out;
  for (const Node n : declaration.children()) {
    if (n.field() == Field::declarator_field)
      out.push_back({n, n.is(NodeKind::init_declarator) ? n.child(Field::value_field) : Node(), {}});
    else if (out.empty())
      continue;
    else if (n.field() == Field::default_value_field)
      out.back().value = n;
    else if (n.kind_name() == "bitfield_clause")
      out.back().bit_field = n;
  }
  return out;
}

std::string_view cpp_specifiers(Node declaration) {
  const Node first = declaration.child(Field::declarator_field);
  const std::string_view text = declaration.text();
  return first ? text.substr(0, first.first_byte() - declaration.first_byte()) : text.substr(0, 60);
}

CppValue cpp_record_named(std::string_view name) {
  for (const NamedRecord& record : named_records)
    if (record.name == name) {
      CppValue out;
      out.kind = CppKind::structure;
      out.text = name;
      for (const auto member : record.members)
        out.fields.emplace_back(std::string(member),
                                is_dim3_member(member)
                                    ? cpp_as_dim3(CppValue::of(1))
                                    : CppValue::unknown("is not set", std::string(member)));
      return out;
    }
  return {};
}

CppValue cpp_as_dim3(CppValue value) {
  if (!value.integer()) return value;
  return CppValue::of(layout::IntTuple::tuple(
      {layout::IntTuple(*value.integer()), layout::IntTuple(1), layout::IntTuple(1)}));
}

CppValue CppFolder::named(Node n, std::string_view name, Frames frame) {
  for (Frames f = frame; f; f = f->outer)
    if (!f->scope || f->scope.contains(n))
      if (const auto found = f->names.find(name); found != f->names.end()) return found->second;
  for (const auto& [key, value] : settings_)
    if (key == name) {
      if (std::find(used_.begin(), used_.end(), key) == used_.end()) used_.push_back(key);
      if (CppValue number = cpp_literal(value); number.known()) return number;
      const auto colon = value.rfind(':');
      CppValue type = cpp_type_named(colon == std::string::npos ? value : value.substr(colon + 1));
      if (type.known()) return type;
    }
  if (name.size() > 1 && name[0] == '_')
    if (CppValue number = cpp_literal(name.substr(1)); number.known()) return CppValue::of(*number.integer());
  const Node declaration = choose(name, n);
  if (const Node brought = used_in_block(name, n, declaration)) {
    const Node whole = brought.is(NodeKind::using_declaration) ? cpp_items(brought).back() : Node();
    if (whole.is(NodeKind::qualified_identifier) && !cpp_has(brought.text(), "enum"))
      return evaluate(whole, frame);
    return CppValue::unknown("a name that a using declaration brings", std::string(name), n);
  }
  for (Node up = n.parent(); up; up = up.parent()) {
    if (declaration && up.contains(declaration)) break;  // nearer than what stands further out
    if (up.is(NodeKind::lambda_expression) && cpp_is_lambda_parameter(name, n, up.parent()))
      return CppValue::unknown("a lambda's parameter", std::string(name), n);
    if (up.is(NodeKind::function_definition))
      if (CppValue given = parameter(up, name, n); given.known() || !given.text.empty()) return given;
    if (up.is(NodeKind::template_declaration))
      if (CppValue given = template_parameter(up, name, n); given.known() || !given.text.empty())
        return given;
  }
  if (declaration && !macro_hides(name, declaration, n)) return declared(declaration, n, frame);
  if (macros_.count(name) && directive_before(name, n).kind_name() != "preproc_call") return macro(name, n);
  if (CppValue type = cpp_type_named(name); type.known()) return type;
  if (CppValue record = cpp_record_named(name); record.known()) return record;
  if (CppValue known = cpp_library_name(name, {}); known.known()) return known;
  const bool macro_like = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return CppValue::unknown(macro_like ? "a macro that the build gives" : "not defined in this file",
                           std::string(name), n);
}

CppValue CppFolder::declared(Node d, Node use, Frames frame) {
  if (d.field() == Field::declarator_field && !d.is(NodeKind::init_declarator)) {
    if (d.parent().is(NodeKind::field_declaration)) return of_member(d.parent(), d, use, frame);
    return without_initializer(d, use, frame);
  }
  switch (d.kind()) {
    case NodeKind::alias_declaration:
    case NodeKind::type_definition:
      return evaluate(d.child(Field::type_field), frame);
    case NodeKind::init_declarator:
      return initial(d, use, frame);
    case NodeKind::field_declaration:
      return of_member(d, d.child(Field::declarator_field), use, frame);
    default: {
      if (d.kind_name() == "enumerator") return enumerator(d, frame);
      if (d.kind_name() == "enum_specifier") return of_enumeration(d);
      CppValue out;
      out.kind = CppKind::structure;
      out.node = d;
      out.text = d.child(Field::name_field).text();
      return out;
    }
  }
}

/// Whether an object of a struct is made with values for its members somewhere.
bool CppFolder::is_given_members(Node structure) const {
  const auto given = [](Node values) {
    return (values.is(NodeKind::initializer_list) || values.is(NodeKind::argument_list)) &&
           !cpp_items(values).empty();
  };
  const std::string_view name = structure.child(Field::name_field).text();
  if (const auto found = types_.find(name); found != types_.end())
    for (const Node n : found->second) {
      Node whole = n;
      while (whole.field() == Field::name_field) whole = whole.parent();
      const Node above = whole.parent();
      if (above.kind_name() == "compound_literal_expression" && given(above.child(Field::value_field)))
        return true;
      if (!above.is(NodeKind::declaration)) continue;
      for (const CppDeclared& one : cpp_declarators(above))
        if (given(one.value)) return true;
    }
  const auto calls = uses_.find(name);
  return calls != uses_.end() && std::any_of(calls->second.begin(), calls->second.end(), [&](Node call) {
           return given(call.child(Field::arguments_field));
         });
}

/// A member by the value that its class gives it, as long as no object has another.
CppValue CppFolder::of_member(Node declaration, Node declarator, Node use, Frames frame) {
  const std::string_view name = cpp_declared_name(declarator).text(), head = cpp_specifiers(declaration);
  Node value;
  for (const CppDeclared& one : cpp_declarators(declaration))
    if (one.declarator == declarator) value = one.value;
  if (!value) return CppValue::unknown("a member of an object", std::string(name), use);
  const bool fixed = cpp_has(head, "constexpr") || (cpp_has(head, "static") && cpp_has(head, "const"));
  const Node owner = declaration.parent().parent();
  if (!fixed && (written_members_.count(name) || (!cpp_has(head, "static") && is_given_members(owner))))
    return CppValue::unknown("a member that objects have different values of", std::string(name), use);
  return as_type(evaluate(value, frame), declaration.child(Field::type_field), frame);
}

/// `auto [a, b] = …`
CppValue CppFolder::part_of_binding(Node init, Node use, Frames frame) {
  const CppValue whole = evaluate(init.child(Field::value_field), frame);
  std::int64_t mode = 0;
  for (const Node one : cpp_items(init.child(Field::declarator_field))) {
    if (one.text() == use.text() && whole.is(CppKind::tuple) && mode < whole.tuple.rank()) {
      CppValue part = CppValue::of(whole.tuple.mode(static_cast<int>(mode)));
      if (cpp_has(cpp_specifiers(init.parent()), "const")) return part;
      return changed({init, one.text(), init.enclosing(NodeKind::compound_statement), false}, use,
                     std::move(part), frame);
    }
    ++mode;
  }
  return whole.known() ? CppValue::unknown("a part that is not known", std::string(use.text()), use) : whole;
}

CppValue CppFolder::initial(Node init, Node use, Frames frame) {
  const Node declaration = init.parent(), value = init.child(Field::value_field);
  const Node declarator = init.child(Field::declarator_field);
  if (declarator.kind_name() == "structured_binding_declarator") return part_of_binding(init, use, frame);
  if (cpp_binding_of(declarator))
    return CppValue::unknown("a part that is bound by reference", std::string(use.text()), use);
  const std::string_view head = cpp_specifiers(declaration), name = cpp_declared_name(declarator).text();
  const bool bound = declarator.kind_name() == "reference_declarator";
  if (bound && value.is(NodeKind::identifier) && init.tree() == use.tree() && init.index() < use.index()) {
    const Node to = choose(value.text(), value);
    if ((to.is(NodeKind::init_declarator) || to.field() == Field::declarator_field) && !(to == init))
      return declared(to, use, frame);  // as that one is by then
  }
  const bool fixed = cpp_has(head, "const") || declaration.is(NodeKind::condition_clause);
  CppValue start = initializer(init, use, frame);
  if (fixed && !bound) return start;
  const Variable variable{init, name, init.enclosing(NodeKind::compound_statement), false};
  if (cpp_has(head, "static") && variable.block && !changes_of(variable).empty())
    return CppValue::unknown("is changed later", std::string(name), use);
  return changed(variable, use, std::move(start), frame);
}

/// What a variable is declared with.
CppValue CppFolder::initializer(Node init, Node use, Frames frame) {
  const Node value = init.child(Field::value_field), declarator = init.child(Field::declarator_field);
  const Node type = init.parent().child(Field::type_field);
  const std::string_view name = cpp_declared_name(declarator).text();
  const Node held = declarator.kind_name() == "pointer_declarator" ? Node() : type;
  const bool listed = value.is(NodeKind::initializer_list) || value.is(NodeKind::argument_list);
  if (declarator.is(NodeKind::array_declarator)) return CppValue::unknown("an array", std::string(name), use);
  if (!listed) {
    CppValue out = as_type(evaluate(value, frame), held, frame);
    return type.text() == "dim3" ? cpp_as_dim3(std::move(out)) : out;
  }
  const auto items = cpp_items(value);
  if (type.text() == "dim3") {
    if (items.size() == 1)
      if (CppValue whole = evaluate(items[0], frame); whole.is(CppKind::tuple)) return whole;
    return library_call("dim3", value, values_of(value, frame), {}, frame);
  }
  const CppValue made = evaluate(type, frame);
  if (made.is(CppKind::structure)) return object(made, value, frame);
  if (items.size() == 1) return as_type(evaluate(items[0], frame), held, frame);
  if (items.empty() && made.is(CppKind::type) && cpp_integer_type(made.text)) return CppValue::of(0);
  return made.known() ? made : CppValue::unknown("an initialiser that is not folded", std::string(name), use);
}

/// `dim3 grid(m, n);`: a variable where m and n are none of the types of these sources.
CppValue CppFolder::made_object(Node declarator, Node use, Frames frame) {
  const Node type = declarator.parent().child(Field::type_field);
  const Node list = declarator.child(Field::parameters_field);
  const std::string_view name = cpp_declared_name(declarator).text();
  std::vector<CppValue> given;
  for (const Node one : cpp_items(list)) {
    given.push_back(evaluate(one.child(Field::type_field), frame));
    if (given.back().is(CppKind::type) || given.back().is(CppKind::structure))
      return CppValue::unknown("a variable, or a function", std::string(name), use);
  }
  CppValue start = CppValue::unknown("an initialiser that is not folded", std::string(name), use);
  if (type.text() == "dim3")
    start = library_call("dim3", list, std::move(given), {}, frame);
  else if (given.size() == 1 && cpp_integer_type(type.text()))
    start = as_type(std::move(given[0]), type, frame);
  return changed({declarator, name, declarator.enclosing(NodeKind::compound_statement), false}, use,
                 std::move(start), frame);
}

/// `dim3 grid;`, `Args args;`, `int n;`
CppValue CppFolder::without_initializer(Node declarator, Node use, Frames frame) {
  const Node declaration = declarator.parent(), type = declaration.child(Field::type_field);
  const std::string_view name = cpp_declared_name(declarator).text();
  if (declaration.is(NodeKind::for_range_loop))
    return CppValue::unknown("takes one value after the other", std::string(name), use);
  const bool plain = declarator.is(NodeKind::identifier);
  if (declarator.is(NodeKind::function_declarator)) return made_object(declarator, use, frame);
  CppValue start = CppValue::unknown("is not set where it is declared", std::string(name), use);
  if (plain && type.text() == "dim3") start = cpp_as_dim3(CppValue::of(1));
  if (plain && type.text() != "dim3") {
    CppValue made = evaluate(type, frame);
    if (made.is(CppKind::structure))
      start = made.node ? object(made, Node(), frame) : std::move(made);
    else if (!made.is(CppKind::type))
      start = std::move(made);  // a layout's or an operation's type is its value
  }
  if (cpp_has(cpp_specifiers(declaration), "static") || !plain) return start;
  return changed({declarator, name, declarator.enclosing(NodeKind::compound_statement), false}, use,
                 std::move(start), frame);
}

}  // namespace cutelab::reading
