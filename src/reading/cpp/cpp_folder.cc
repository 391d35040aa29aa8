#include "reading/cpp/cpp_folder.h"

#include <algorithm>

#include "base/text.h"
#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int deepest_fold = 60;
constexpr int most_folds = 60'000;

bool has_word(std::string_view text, std::string_view word) {
  const auto words = split(text, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// `enum class E { … }`: its names need E:: in front.
bool is_scoped_enumeration(Node enumeration) {
  const std::string_view head = enumeration.text().substr(0, 16);
  return head.starts_with("enum class") || head.starts_with("enum struct");
}

bool is_broken(Node n) {
  for (Node part = n.first(); part; part = part.next())
    if (part.is(NodeKind::error)) return true;
  return false;
}

bool is_branch(Node n) {
  return n.is(NodeKind::preproc_if) || n.is(NodeKind::preproc_ifdef) || n.is(NodeKind::preproc_elif) ||
         n.is(NodeKind::preproc_else);
}

Node branch_around(Node n) {
  Node up = n.parent();
  while (up && !is_branch(up)) up = up.parent();
  return up;
}

}  // namespace

bool same_branches(Node a, Node b) { return branch_around(a) == branch_around(b); }

Node cpp_declared_name(Node declarator) {
  Node n = declarator;
  for (int depth = 0; depth < 16 && n; ++depth) {
    if (n.is(NodeKind::identifier) || n.is(NodeKind::field_identifier) || n.is(NodeKind::type_identifier))
      return n;
    const Node inner = n.child(Field::declarator_field);
    n = inner ? inner : n.first();
    while (n.is(NodeKind::op)) n = n.next();
  }
  return {};
}

Node cpp_function_name(Node definition) {
  Node n = definition.child(Field::declarator_field);
  for (int depth = 0; depth < 16 && n && !n.is(NodeKind::function_declarator); ++depth) {
    const Node inner = n.child(Field::declarator_field);
    n = inner ? inner : n.first();
  }
  return n.child(Field::declarator_field);
}

std::vector<Node> cpp_items(Node list) {
  std::vector<Node> out;
  for (const Node n : list.children())
    if (!n.is(NodeKind::op)) out.push_back(n);
  return out;
}

CppFolder::CppFolder(std::vector<const source::Tree*> trees, Settings settings)
    : trees_(std::move(trees)), settings_(std::move(settings)) {
  index();
}

void CppFolder::index() {
  for (const source::Tree* tree : trees_)
    for (std::uint32_t i = 0; i < tree->size(); ++i) {
      const Node n = tree->at(i);
      switch (n.kind()) {
        case NodeKind::init_declarator:
          index_variable(n);
          break;
        case NodeKind::alias_declaration:
          declarations_[n.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::struct_specifier:
        case NodeKind::union_specifier:
        case NodeKind::class_specifier:
          if (!n.child(Field::body_field) || !n.child(Field::name_field)) break;
          if (n.child(Field::name_field).is(NodeKind::template_type))
            special_[n.child(Field::name_field).child(Field::name_field).text()].push_back(n);
          else
            declarations_[n.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::field_declaration:
        case NodeKind::declaration:
        case NodeKind::for_range_loop:
          index_declaration(n);
          break;
        case NodeKind::assignment_expression:
          index_written(n, n.child(Field::left_field));
          break;
        case NodeKind::function_definition:
          functions_[cpp_function_name(n).text()].push_back(n);
          if (const Node name = cpp_function_name(n); name.is(NodeKind::template_function))
            special_[name.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::template_function:
          uses_[n.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::call_expression:
          index_call(n);
          break;
        case NodeKind::template_type:
          uses_[n.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::preproc_def:
          macros_[n.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::type_identifier:
        case NodeKind::namespace_identifier:
          types_[n.text()].push_back(n);
          break;
        default:
          index_other(n);
          break;
      }
    }
}

/// Declarators without a value, which init_declarator does not tell of; members with one.
void CppFolder::index_declaration(Node n) {
  const bool member = n.is(NodeKind::field_declaration);
  if (!member && has_word(cpp_specifiers(n), "extern")) return;
  for (const CppDeclared& one : cpp_declarators(n)) {
    const Node name = cpp_declared_name(one.declarator);
    index_prototype(one.declarator);
    if (!name || one.declarator.is(NodeKind::init_declarator)) continue;
    if (one.declarator.is(NodeKind::function_declarator) && !cpp_is_made_object(one.declarator)) continue;
    const bool first = one.declarator == n.child(Field::declarator_field);
    declarations_[name.text()].push_back(member && first && one.value ? n : one.declarator);
  }
}

/// `void f(int&);`: what a function that is not seen here takes.
void CppFolder::index_prototype(Node declarator) {
  Node n = declarator;
  while (n && !n.is(NodeKind::function_declarator)) {
    const Node inner = n.child(Field::declarator_field);
    n = inner                                                              ? inner
        : n.kind_name() == "reference_declarator" && !cpp_items(n).empty() ? cpp_items(n)[0]
                                                                           : Node();
  }
  if (n && !cpp_is_made_object(n)) prototypes_[n.child(Field::declarator_field).text()].push_back(n);
}

/// Members that somebody writes to, the command line aside.
void CppFolder::index_written(Node written, Node target) {
  while (target.is(NodeKind::parenthesized_expression) || target.is(NodeKind::subscript_expression))
    target = target.first();
  const Node function = written.enclosing(NodeKind::function_definition);
  const Node name = cpp_function_name(function);
  if (cpp_parameters_of(function).text().find("arg") != std::string_view::npos &&
      function.enclosing(NodeKind::field_declaration_list))
    return;
  if (target.is(NodeKind::field_expression))
    written_members_.insert(target.child(Field::field_field).text());
  else if (target.is(NodeKind::identifier) && (function.parent().is(NodeKind::field_declaration_list) ||
                                               name.is(NodeKind::qualified_identifier)))
    written_members_.insert(target.text());
}

void CppFolder::index_variable(Node init) {
  const Node declarator = init.child(Field::declarator_field);
  if (const Node binding = cpp_binding_of(declarator))
    for (const Node one : cpp_items(binding)) declarations_[one.text()].push_back(init);
  else if (declarator.is(NodeKind::template_function))  // v<3> = 7
    special_[declarator.child(Field::name_field).text()].push_back(init);
  else if (const Node name = cpp_declared_name(declarator))
    declarations_[name.text()].push_back(init);
}

void CppFolder::index_call(Node call) {
  const Node callee = call.child(Field::function_field);
  if (callee.is(NodeKind::identifier)) uses_[callee.text()].push_back(call);
  if (callee.is(NodeKind::field_expression))
    members_[callee.child(Field::field_field).text()].push_back(call);
  if (!callee.is(NodeKind::qualified_identifier)) return;
  Node name = callee;
  while (name.is(NodeKind::qualified_identifier)) name = name.child(Field::name_field);
  members_[name.text()].push_back(call);
  if (name.is(NodeKind::identifier)) uses_[name.text()].push_back(call);
}

void CppFolder::index_other(Node n) {
  const std::string_view kind = n.kind_name();
  if (n.is(NodeKind::preproc_function_def)) function_macros_[n.child(Field::name_field).text()].push_back(n);
  if (n.is(NodeKind::namespace_definition))
    for (const auto part : split(n.child(Field::name_field).text(), ':')) namespaces_.insert(trim(part));
  if (const Node name = n.child(Field::declarator_field);
      n.is(NodeKind::type_definition) && name.is(NodeKind::type_identifier))
    declarations_[name.text()].push_back(n);
  if (kind == "enum_specifier" && n.child(Field::name_field) && n.child(Field::body_field))
    declarations_[n.child(Field::name_field).text()].push_back(n);
  if (kind == "enumerator" && !is_scoped_enumeration(n.parent().parent()))
    declarations_[n.child(Field::name_field).text()].push_back(n);
  if (n.is(NodeKind::using_declaration)) usings_.push_back(n);
  if (kind == "update_expression") index_written(n, n.child(Field::argument_field));
  if (kind == "field_initializer") written_members_.insert(n.first().text());
  if (kind == "preproc_call" && n.text().starts_with("#undef"))
    undefined_[trim(n.child(Field::argument_field).text())].push_back(n);
}

Node CppFolder::function_named(std::string_view name) const {
  const auto found = functions_.find(name);
  return found != functions_.end() && found->second.size() == 1 ? found->second[0] : Node();
}

/// The block, struct, namespace or file that holds a declaration.
Node CppFolder::scope_of(Node n) const {
  for (Node up = n.parent(); up; up = up.parent()) switch (up.kind()) {
      case NodeKind::compound_statement:
      case NodeKind::field_declaration_list:
      case NodeKind::declaration_list:
      case NodeKind::for_statement:
      case NodeKind::for_range_loop:
      case NodeKind::if_statement:
      case NodeKind::while_statement:
      case NodeKind::switch_statement:
      case NodeKind::translation_unit:
        return up;
      default:
        break;
    }
  return {};
}

/// How near a declaration is to a use: the deeper the scope that holds both, the nearer; 0 = of another
/// namespace, -1 = not to be seen from there.
int CppFolder::nearness(Node declaration, Node scope, Node use) const {
  const bool same_file = declaration.tree() == use.tree();
  if (scope.is(NodeKind::translation_unit) || scope.is(NodeKind::declaration_list)) {
    const auto around = namespaces_around(declaration), there = namespaces_around(use);
    const bool holds =
        around.size() <= there.size() && std::equal(around.begin(), around.end(), there.begin());
    return holds ? 1 + static_cast<int>(around.size()) : 0;
  }
  if (!same_file || !scope.contains(use)) return -1;
  if (scope.is(NodeKind::compound_statement) && declaration.index() > use.index()) return -1;
  int depth = 100;
  for (Node up = scope; up; up = scope_of(up)) ++depth;
  return depth;
}

/// The declaration of a name that holds at a use: of the innermost scope around it, the last one before it.
Node CppFolder::choose(std::string_view name, Node use) const {
  const auto found = declarations_.find(name);
  if (found == declarations_.end()) return {};
  Node best, best_scope;
  int nearest = -1;
  bool twice = false;
  for (const Node d : found->second) {
    // `using T = T<int>` names the outer one
    if ((d.is(NodeKind::init_declarator) || d.is(NodeKind::alias_declaration)) && d.contains(use)) continue;
    const Node scope = scope_of(d);
    const int near = nearness(d, scope, use);
    if (near < 0 || near < nearest) continue;
    const bool again = near == nearest;
    const bool same_scope = again && best_scope == scope;
    if (same_scope)
      twice = scope.is(NodeKind::declaration_list) || !same_branches(best, d);
    else
      twice = again;
    best = d, best_scope = scope, nearest = near;
  }
  return twice ? Node() : best;
}

Node CppFolder::definition_of(Node named) const {
  const Node found = choose(named.text(), named);
  const bool plain = found.field() == Field::declarator_field && !found.is(NodeKind::init_declarator);
  return plain ? Node() : found;
}

CppValue CppFolder::evaluate(Node n, Frames frame) {
  if (!n) return CppValue::unknown("nothing is given");
  if (depth_ > deepest_fold || (running_ == 0 && ++steps_ > most_folds))
    return CppValue::unknown("the evaluation reached its limit", std::string(n.text().substr(0, 60)), n);
  const std::string key =
      frame ? std::string()
            : std::to_string(reinterpret_cast<std::uintptr_t>(n.tree())) + ":" + std::to_string(n.index());
  if (!frame) {
    const auto [place, fresh] = memo_.try_emplace(
        key, CppValue::unknown("depends on itself", std::string(n.text().substr(0, 60)), n));
    if (!fresh) return place->second;
  }
  ++depth_;
  CppValue out = is_broken(n) ? CppValue::unknown("a syntax error", std::string(n.text().substr(0, 60)), n)
                              : evaluate_new(n, frame);
  --depth_;
  if (!out.known() && !out.node) out.node = n;
  if (!frame) memo_[key] = out;
  return out;
}

CppValue CppFolder::unary(Node n, Frames frame) {
  const auto inner = evaluate(n.child(Field::argument_field), frame);
  return inner.integer() ? cpp_unary(n.first().text(), inner) : inner;
}

CppValue CppFolder::evaluate_new(Node n, Frames frame) {
  switch (n.kind()) {
    case NodeKind::number_literal:
      return cpp_literal(n.text());
    case NodeKind::char_literal:
      if (n.text().size() == 3) return CppValue::of(std::int64_t{n.text()[1]});
      return CppValue::unknown("not an integer", std::string(n.text().substr(0, 40)), n);
    case NodeKind::true_literal:
      return CppValue::of(1);
    case NodeKind::false_literal:
      return CppValue::of(0);
    case NodeKind::identifier:
    case NodeKind::type_identifier:
    case NodeKind::primitive_type:
      return named(n, n.text(), frame);
    case NodeKind::parenthesized_expression:
      return evaluate(cpp_items(n).empty() ? Node() : cpp_items(n)[0], frame);
    case NodeKind::condition_clause:
      return evaluate(n.child(Field::value_field), frame);
    case NodeKind::type_descriptor:
      return described_type(n, frame);
    case NodeKind::qualified_identifier:
      return qualified(n, frame);
    case NodeKind::template_function:
    case NodeKind::template_type:
      return template_use(n, n.child(Field::arguments_field), n.child(Field::name_field).text(), frame);
    case NodeKind::binary_expression:
      return binary(n, frame);
    case NodeKind::field_expression:
      return field(n, frame);
    case NodeKind::call_expression:
      return call(n, frame);
    case NodeKind::cast_expression:
      return as_type(evaluate(n.child(Field::value_field), frame), n.child(Field::type_field), frame);
    case NodeKind::conditional_expression: {
      const auto condition = evaluate(n.child(Field::condition_field), frame).integer();
      if (!condition) return evaluate(n.child(Field::condition_field), frame);
      return evaluate(n.child(*condition ? Field::consequence_field : Field::alternative_field), frame);
    }
    case NodeKind::unary_expression:
      return unary(n, frame);
    default:
      break;
  }
  const std::string_view kind = n.kind_name();
  if (kind == "preproc_defined") return directive_value(n);
  if (kind == "decltype") return evaluate(cpp_items(n).empty() ? Node() : cpp_items(n).back(), frame);
  if (kind == "sizeof_expression" || kind == "alignof_expression") return size_of(n, frame);
  if (kind == "compound_literal_expression")
    return object(evaluate(n.child(Field::type_field), frame), n.child(Field::value_field), frame);
  if (kind == "sized_type_specifier")
    if (const auto integer = cpp_integer_type(n.text()))
      return cpp_type_named((integer->is_unsigned ? "uint" : "int") + std::to_string(integer->bits) + "_t");
  if (kind == "dependent_type") return evaluate(cpp_items(n).back(), frame);
  return CppValue::unknown("is not folded", std::string(n.text().substr(0, 60)), n);
}

}  // namespace cutelab::reading
