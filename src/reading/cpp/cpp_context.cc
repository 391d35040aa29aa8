#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  std::string digits(trim(text));
  while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
    digits.pop_back();
  std::erase(digits, '\'');
  return parse_integer(digits);
}

/// 128 of `Int<128>{}`, `_128{}`, `cute::C<128>()`.
std::optional<std::int64_t> static_integer(std::string_view text) {
  std::string t(trim(text));
  for (const char* tail : {"{}", "()"})
    if (t.ends_with(tail)) t = t.substr(0, t.size() - 2);
  const auto colon = t.rfind("::");
  if (colon != std::string::npos && t.find('<') == std::string::npos) t = t.substr(colon + 2);
  if (t.size() > 1 && t[0] == '_') return number(std::string_view(t).substr(1));
  const auto open = t.find('<');
  if (open == std::string::npos || t.back() != '>') return std::nullopt;
  const std::string head = t.substr(0, open);
  if (!head.ends_with("Int") && !head.ends_with("C")) return std::nullopt;
  return number(std::string_view(t).substr(open + 1, t.size() - open - 2));
}

/// The initial value of `constexpr … name = …` or `static const int name = …` anywhere in the file, if there
/// is just one.
Node constant(const source::Tree& tree, std::string_view name) {
  Node found;
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const Node n = tree.at(i);
    if (!n.is(NodeKind::init_declarator) || n.child(Field::declarator_field).text() != name) continue;
    const std::string_view declaration = n.parent().text();
    const bool fixed = declaration.starts_with("constexpr") || declaration.starts_with("static const") ||
                       declaration.starts_with("const");
    if (!fixed || found) return {};
    found = n.child(Field::value_field);
  }
  return found;
}
}  // namespace

CppDraft& CppContext::add(evidence::Family family, std::string kind, std::string subject, std::string says,
                          Node node) {
  CppDraft draft;
  draft.fact.family = family;
  draft.fact.kind = std::move(kind);
  draft.fact.subject = std::move(subject);
  draft.fact.says = std::move(says);
  draft.fact.at = at(node);
  draft.node = node;
  drafts.push_back(std::move(draft));
  return drafts.back();
}

evidence::Value CppContext::value(Node expression) const {
  const std::string text(expression.text().substr(0, 200));
  auto known = number(text);
  if (!known) known = static_integer(text);
  if (known) {
    evidence::Value out = evidence::literal(*known);
    return out;
  }
  if (text == "true" || text == "false") return evidence::literal(text == "true");
  if (expression.is(NodeKind::identifier)) {
    const Node initial = constant(tree, text);
    const auto folded = initial ? number(initial.text()) : std::nullopt;
    if (folded) {
      evidence::Value out = evidence::literal(*folded);
      out.formula = text;
      out.known_by = evidence::KnownBy::computed;
      out.origins.push_back(at(initial));
      return out;
    }
  }
  return evidence::undetermined("needs evaluation", {text.substr(0, 80)}, at(expression), text);
}

std::string leaf_name(Node callee) {
  Node n = callee;
  for (int depth = 0; depth < 32 && n; ++depth) {
    switch (n.kind()) {
      case NodeKind::qualified_identifier:
      case NodeKind::template_function:
      case NodeKind::template_type:
      case NodeKind::template_method:
        n = n.child(Field::name_field);
        break;
      case NodeKind::field_expression:
        n = n.child(Field::field_field);
        break;
      default:
        return std::string(n.text().substr(0, 120));
    }
  }
  return {};
}

std::string cpp_target(Node node) {
  Node n = node;
  while (n.parent().is(NodeKind::parenthesized_expression)) n = n.parent();
  const Node above = n.parent();
  if (above.is(NodeKind::init_declarator))
    return std::string(above.child(Field::declarator_field).text().substr(0, 80));
  if (above.is(NodeKind::assignment_expression))
    return std::string(above.child(Field::left_field).text().substr(0, 80));
  if (above.is(NodeKind::declaration))
    return std::string(above.child(Field::declarator_field).text().substr(0, 80));
  return {};
}

}  // namespace cutelab::reading
