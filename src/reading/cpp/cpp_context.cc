#include <algorithm>

#include "base/text.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

std::vector<bool> CppContext::included_sources(const evidence::Reading& reading) {
  std::vector<bool> out;
  for (const auto& file : reading.files)
    out.push_back(file.path.ends_with(".cu") || file.path.ends_with(".cc") || file.path.ends_with(".cpp"));
  return out;
}

evidence::Location CppContext::at(Node n) const {
  evidence::Location out{0, n.span()};
  for (std::size_t f = 0; f < trees.size(); ++f)
    if (trees[f] == n.tree()) out.file = static_cast<int>(f);
  return out;
}

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

namespace {
evidence::Value::Data data_of(layout::TupleView tuple) {
  if (tuple.is_leaf()) return tuple.leaf().value();
  evidence::Value::List items;
  for (int i = 0; i < tuple.rank(); ++i) {
    evidence::Value item;
    item.data = data_of(tuple.mode(i));
    items.push_back(std::move(item));
  }
  return items;
}
}  // namespace

evidence::Value CppContext::value(const CppValue& folded, Node expression) const {
  const std::string text(expression.text().substr(0, 200));
  evidence::Value out;
  using Kind = CppValue::Kind;
  if (folded.is(Kind::integer) || folded.is(Kind::tuple) || folded.is(Kind::threads)) {
    if (!folded.tuple.known())
      return evidence::undetermined("needs evaluation", {text}, at(expression), text);
    out.data = data_of(folded.tuple.view());
  } else if (folded.is(Kind::layout)) {
    out.data = folded.layout->text();
  } else if (folded.is(Kind::type)) {
    out.data = folded.text;
  } else {
    const Node stopped = folded.node ? folded.node : expression;
    std::vector<std::string> depends = folded.depends_on;
    if (depends.empty()) depends.push_back(text.substr(0, 80));
    return evidence::undetermined(folded.text.empty() ? "needs evaluation" : folded.text, std::move(depends),
                                  at(stopped), text);
  }
  if (expression.is(NodeKind::number_literal)) return out;
  out.formula = text;
  out.known_by = evidence::KnownBy::computed;
  return out;
}

evidence::Value CppContext::value(Node expression) const {
  const std::string_view text = expression.text();
  if (text == "true" || text == "false") return evidence::literal(text == "true");
  return value(folder.value(expression), expression);
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
        // x.template f<T>(…)
        if (n.kind_name() != "dependent_name") return std::string(n.text().substr(0, 120));
        n = cpp_items(n).empty() ? Node() : cpp_items(n).back();
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
