#include <set>
#include <utility>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// Layouts of shared memory that no construct of the library's names: by a name of another file, plain ones.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
/// An alias template of these sources over one of the library's swizzled atoms, whatever its numbers.
bool swizzles_by_name(const CppContext& context, Node value) {
  for (std::uint32_t i = value.index(); value && i < value.end_index(); ++i) {
    const Node n = value.tree()->at(i);
    if (!n.is(NodeKind::template_type)) continue;
    const Node alias = context.folder.definition_of(n.child(Field::name_field));
    if (!alias.is(NodeKind::alias_declaration)) continue;
    const std::string_view text = alias.text();
    for (const char* atom : {"_SW32_Atom", "_SW64_Atom", "_SW128_Atom"})
      if (text.find(atom) != std::string_view::npos) return true;
  }
  return false;
}

bool capital(char c) { return c >= 'A' && c <= 'Z'; }

/// sA, sB_layout, SmemLayoutK: names that CuTe code gives the layouts of shared memory.
bool names_shared_layout(std::string_view name) {
  const std::string low = to_lower(name.substr(0, 60));
  if (low.find("smemlayout") != std::string::npos || low.find("smem_layout") != std::string::npos)
    return true;
  return name.size() > 1 && name[0] == 's' && capital(name[1]);
}

/// A call that makes a layout, or a type that is one.
bool makes_layout(Node value) {
  if (value.is(NodeKind::call_expression)) {
    const std::string leaf = leaf_name(value.child(Field::function_field));
    for (const char* maker : {"make_layout", "make_ordered_layout", "tile_to_shape", "composition",
                              "blocked_product", "logical_product", "tile_to_mma_shape"})
      if (leaf == maker) return true;
    return false;
  }
  return !value.is(NodeKind::initializer_list) && !value.is(NodeKind::number_literal);
}
}  // namespace

void extract_cpp_layouts(CppContext& context) {
  std::set<std::pair<const source::Tree*, int>> told;
  for (const CppDraft& d : context.drafts)
    if (d.fact.family == Family::D6 && !d.fact.optional) told.emplace(d.node.tree(), d.node.line());
  for (const Node n : context.nodes()) {
    const bool alias = n.is(NodeKind::alias_declaration);
    if (!alias && !n.is(NodeKind::init_declarator)) continue;
    const Node value = n.child(alias ? Field::type_field : Field::value_field);
    const std::string name(alias ? n.child(Field::name_field).text().substr(0, 60)
                                 : cpp_declared_name(n.child(Field::declarator_field)).text().substr(0, 60));
    const bool by_name = names_shared_layout(name) && makes_layout(value) && (alias || !cpp_on_device(n));
    if (told.count({n.tree(), n.line()}) || (!by_name && value.text().find('<') == std::string_view::npos))
      continue;
    const CppValue layout = context.folder.value(value);
    const bool known = layout.is(CppValue::Kind::layout);
    const bool swizzled = known ? !layout.layout->swizzle().identity() : swizzles_by_name(context, value);
    if (!swizzled && !by_name) continue;
    // What only a call of the library's said of it is the same layout.
    std::erase_if(context.drafts, [&](const CppDraft& d) {
      return d.fact.family == Family::D6 && d.fact.optional && n.contains(d.node);
    });
    CppDraft& draft = context.add(Family::D6, evidence::kind::shared_layout, name,
                                  (swizzled ? "swizzled layout " : "layout of shared memory ") + name, n);
    draft.construct = swizzled ? "swizzled-layout" : "plain-layout";
    if (known || swizzled) draft.fact.values["layout"] = context.value(layout, value);
  }
}

}  // namespace cutelab::reading
