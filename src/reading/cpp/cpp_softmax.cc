#include <set>

#include "reading/cpp/cpp_facts.h"

/// Softmax that an included header's class keeps running: where this file steps it.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool takes_maximum(const std::string& leaf) {
  return leaf == "max" || leaf == "fmax" || leaf == "fmaxf" || leaf == "fast_max" || leaf == "__hmax";
}
bool takes_exponential(const std::string& leaf) {
  return leaf == "exp2f" || leaf == "exp2" || leaf == "expf" || leaf == "__expf" || leaf == "exp" ||
         leaf == "h2exp2";
}

/// Classes of included headers that take both a maximum and exponentials.
std::set<std::string> softmax_classes(const CppContext& context) {
  std::set<std::string> out;
  for (const source::Tree* tree : context.trees) {
    if (tree == &context.tree) continue;
    std::set<std::uint32_t> maxima, exponentials;
    for (std::uint32_t i = 0; i < tree->size(); ++i) {
      const Node n = tree->at(i);
      if (!n.is(NodeKind::call_expression)) continue;
      const std::string leaf = leaf_name(n.child(Field::function_field));
      const bool maximum = takes_maximum(leaf);
      if (!maximum && !takes_exponential(leaf)) continue;
      const Node owner = n.enclosing(NodeKind::struct_specifier);
      if (!owner || !cpp_on_device(n)) continue;
      (maximum ? maxima : exponentials).insert(owner.index());
    }
    for (const std::uint32_t index : maxima)
      if (exponentials.count(index)) out.insert(leaf_name(tree->at(index).child(Field::name_field)));
  }
  return out;
}

std::string class_of(Node type) {
  Node n = type;
  while (n.is(NodeKind::qualified_identifier)) n = n.child(Field::name_field);
  return leaf_name(n.is(NodeKind::template_type) ? n.child(Field::name_field) : n);
}
}  // namespace

void extract_cpp_softmax(CppContext& context) {
  const std::set<std::string> classes = softmax_classes(context);
  if (classes.empty()) return;
  std::set<std::string, std::less<>> objects;
  for (const Node n : context.nodes()) {
    if (n.is(NodeKind::declaration) && classes.count(class_of(n.child(Field::type_field)))) {
      Node declarator = n.child(Field::declarator_field);
      if (declarator.is(NodeKind::init_declarator)) declarator = declarator.child(Field::declarator_field);
      objects.emplace(cpp_declared_name(declarator).text());
    }
    const Node callee = n.is(NodeKind::call_expression) ? n.child(Field::function_field) : Node();
    if (!callee.is(NodeKind::field_expression)) continue;
    const std::string_view object = callee.child(Field::argument_field).text();
    if (!objects.count(object)) continue;
    for (const char* kind : {"running-maximum", "exponential"}) {
      CppDraft& draft = context.add(Family::D4, kind, std::string(object),
                                    "running softmax: " + std::string(callee.text().substr(0, 80)), n);
      draft.construct = "softmax-helper";
      draft.fact.optional = true;
    }
  }
}

}  // namespace cutelab::reading
