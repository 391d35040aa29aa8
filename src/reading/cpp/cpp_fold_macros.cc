#include <algorithm>

#include "base/text.h"
#include "reading/cpp/cpp_folder.h"

/// Macros with arguments: the text behind a #define, parsed by itself and folded with the values of a call.
/// Where putting in the text would mean something else than putting in the value, it is not known.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr std::size_t longest_macro = 2000;
constexpr int deepest_macro = 30;

/// One operand whatever stands around it.
bool is_operand(Node n) {
  return n.is(NodeKind::identifier) || n.is(NodeKind::type_identifier) || n.is(NodeKind::number_literal) ||
         n.is(NodeKind::char_literal) || n.is(NodeKind::true_literal) || n.is(NodeKind::false_literal) ||
         n.is(NodeKind::parenthesized_expression) || n.is(NodeKind::call_expression) ||
         n.is(NodeKind::field_expression) || n.is(NodeKind::qualified_identifier) ||
         n.is(NodeKind::subscript_expression) || n.is(NodeKind::primitive_type) ||
         n.is(NodeKind::template_type) || n.is(NodeKind::type_descriptor) ||
         n.kind_name() == "sizeof_expression" || n.kind_name() == "compound_literal_expression";
}

/// Whether what stands around an expression can take a part of it: `-M(x)`, `M(x) * 2`.
bool is_taken_apart(Node n) {
  const Node up = n.parent();
  return up.is(NodeKind::binary_expression) || up.is(NodeKind::unary_expression) ||
         up.is(NodeKind::cast_expression) || up.is(NodeKind::field_expression) ||
         up.is(NodeKind::conditional_expression) || up.is(NodeKind::subscript_expression);
}
}  // namespace

/// The #define of a macro with arguments that a call stands for; no node: none, or not told which.
Node CppFolder::macro_called(Node call) {
  const Node callee = call.child(Field::function_field);
  const auto found =
      callee.is(NodeKind::identifier) ? function_macros_.find(callee.text()) : function_macros_.end();
  if (found == function_macros_.end() || undefined_.count(callee.text())) return {};
  const Node first = found->second.front();
  for (const Node other : found->second)
    if (other.text() != first.text()) return {};
  return first;
}

/// The text of a macro as a tree of its own.
const source::Tree* CppFolder::macro_tree(Node define) {
  const auto [place, fresh] = macro_trees_.try_emplace(define);
  if (!fresh) return place->second.get();
  std::string text(define.child(Field::value_field).text());
  for (auto at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n", at))
    text.replace(at, 2, "  ");
  for (const std::string_view comment : {"//", "/*"})
    if (const auto at = text.find(comment); at != std::string::npos && text.find('"') == std::string::npos)
      text.resize(at);
  const std::string_view parameters = define.child(Field::parameters_field).text();
  if (text.empty() || text.size() > longest_macro || text.find('#') != std::string::npos ||
      parameters.find("...") != std::string_view::npos)
    if (text.find("<<<") == std::string::npos || text.find('#') != std::string::npos) return nullptr;
  const bool launch = text.find("<<<") != std::string::npos;
  text = launch ? "void f() { " + text + "; }" : "auto macro = " + text + ";";
  auto tree = source::Tree::parse(source::Grammar::cuda, std::move(text));
  if (!launch && !tree->problems().empty()) return nullptr;
  place->second = std::move(tree);
  return place->second.get();
}

/// What the names of a macro's text stand for at a call: its parameters, and all others as the place of the
/// call sees them. False: the text of an argument would be torn apart.
bool CppFolder::bind_macro(Node define, Node call, Node use, Node text, Frames outer, Frame& frame) {
  const auto parameters = cpp_items(define.child(Field::parameters_field));
  const auto given = cpp_items(call.child(Field::arguments_field));
  if (parameters.size() > given.size()) return false;
  for (std::uint32_t i = text.index(); i < text.end_index(); ++i) {
    const Node n = text.tree()->at(i);
    if (!n.is(NodeKind::identifier) && !n.is(NodeKind::type_identifier)) continue;
    const auto at =
        std::find_if(parameters.begin(), parameters.end(), [&](Node p) { return p.text() == n.text(); });
    if (at == parameters.end()) {
      if (!is_whole_macro(n.text())) return false;
      if (n.field() != Field::function_field && !function_macros_.count(n.text()) &&
          !functions_.count(n.text()))
        frame.names.try_emplace(std::string(n.text()), named(use, n.text(), outer));
      continue;
    }
    const Node argument = given[static_cast<std::size_t>(at - parameters.begin())];
    const bool enclosed = n.parent().is(NodeKind::parenthesized_expression) ||
                          n.parent().is(NodeKind::argument_list) || n == text;
    if (!is_operand(argument) && !enclosed) return false;
    frame.names.try_emplace(std::string(n.text()), evaluate(argument, outer));
  }
  return true;
}

/// A call of a macro; unknown with an empty text: it is none.
CppValue CppFolder::macro_call(Node call, Frames frame) {
  const std::string_view name = call.child(Field::function_field).text();
  if (!call.child(Field::function_field).is(NodeKind::identifier) || !function_macros_.count(name)) return {};
  const CppValue not_told = CppValue::unknown("a macro that is not folded", std::string(name), call);
  const Node define = macro_called(call);
  if (!define || depth_ > deepest_macro) return not_told;
  const source::Tree* tree = macro_tree(define);
  if (!tree) return not_told;
  Node text;
  for (const Node init : tree->all(NodeKind::init_declarator)) text = init.child(Field::value_field);
  Frame bound;
  if (!text || (!is_operand(text) && is_taken_apart(call)) ||
      !bind_macro(define, call, call, text, frame, bound))
    return not_told;
  return evaluate(text, &bound);
}

/// Whether a macro's text is one operand wherever its name stands; true of what is no macro.
bool CppFolder::is_whole_macro(std::string_view name) {
  const auto found = macros_.find(name);
  if (found == macros_.end()) return true;
  return std::all_of(found->second.begin(), found->second.end(), [](Node define) {
    const std::string_view text = trim(define.child(Field::value_field).text());
    const bool word =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
        std::string_view::npos;
    int open = 0;
    bool enclosed = text.starts_with("(") && text.ends_with(")");
    for (std::size_t i = 0; enclosed && i + 1 < text.size(); ++i) {
      open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      enclosed = open > 0;
    }
    return word || enclosed;
  });
}

/// A macro without arguments whose text is an expression; unknown with an empty text: that is not told.
CppValue CppFolder::macro_expression(Node define, Node use) {
  if (depth_ > deepest_macro) return {};
  const source::Tree* tree = macro_tree(define);
  if (!tree) return {};
  Node text;
  for (const Node init : tree->all(NodeKind::init_declarator)) text = init.child(Field::value_field);
  Frame bound;
  if (!text || (!is_operand(text) && is_taken_apart(use)) ||
      !bind_macro(define, Node(), use, text, nullptr, bound))
    return {};
  depth_ += 3;
  CppValue out = evaluate(text, &bound);
  depth_ -= 3;
  return out;
}

/// What a macro launches: `#define LAUNCH(kernel, grid, block) kernel<<<grid, block>>>()`
CppFolder::Launched CppFolder::macro_launch(Node call) {
  Launched out;
  const Node define = macro_called(call);
  if (!define || define.text().find("<<<") == std::string_view::npos) return out;
  const source::Tree* tree = macro_tree(define);
  if (!tree || tree->all(NodeKind::kernel_call_syntax).size() != 1) return out;
  Node syntax;
  for (const Node one : tree->all(NodeKind::kernel_call_syntax)) syntax = one;
  const auto parameters = cpp_items(define.child(Field::parameters_field));
  const auto given = cpp_items(call.child(Field::arguments_field));
  const auto argument_of = [&](Node n) {
    for (std::size_t i = 0; i < parameters.size() && i < given.size(); ++i)
      if (parameters[i].text() == n.text()) return given[i];
    return Node();
  };
  const Node callee = syntax.parent().child(Field::function_field);
  out.kernel = argument_of(callee) ? argument_of(callee) : callee;
  for (const Node part : syntax.children()) {
    if (const Node argument = argument_of(part)) {
      out.parts.push_back(evaluate(argument, nullptr));
      continue;
    }
    Frame bound;
    const CppValue not_told = CppValue::unknown("a macro that is not folded", std::string(part.text()), call);
    out.parts.push_back(bind_macro(define, call, call, part, nullptr, bound) ? evaluate(part, &bound)
                                                                             : not_told);
  }
  return out;
}

}  // namespace cutelab::reading
