#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool names_storage(std::string_view name) {
  return name.find("SharedStorage") != std::string_view::npos ||
         name.find("Smem") != std::string_view::npos ||
         name.find("TensorStorage") != std::string_view::npos ||
         name.find("PipelineStorage") != std::string_view::npos;
}

void add_struct(CppContext& context, Node structure) {
  const std::string name = leaf_name(structure.child(Field::name_field));
  if (!names_storage(name) || !structure.child(Field::body_field)) return;
  CppDraft& draft =
      context.add(Family::H3, evidence::kind::storage, name, "shared storage " + name, structure);
  draft.construct = "struct";
  draft.fact.values["bytes"] =
      evidence::undetermined("members and padding need evaluation", {name}, context.at(structure), "");
  for (const Node member : structure.child(Field::body_field).children()) {
    if (!member.is(NodeKind::field_declaration) ||
        member.child(Field::declarator_field).is(NodeKind::function_declarator))
      continue;
    const std::string member_name(member.child(Field::declarator_field).text().substr(0, 60));
    const std::string type(member.child(Field::type_field).text().substr(0, 120));
    CppDraft& field = context.add(Family::H3, evidence::kind::storage_member, member_name,
                                  member_name + ": " + type, member);
    field.construct = "storage-member";
    field.fact.values["type"] = evidence::literal(type);
    field.fact.optional =
        to_lower(type).find("barrier") != std::string::npos || type.find("uint64") != std::string::npos;
  }
}

void add_shared_declaration(CppContext& context, Node declaration) {
  const std::string_view text = declaration.text();
  if (text.find("__shared__") == std::string_view::npos &&
      text.find("SharedStorage&") == std::string_view::npos &&
      text.find("SharedStorage &") == std::string_view::npos)
    return;
  if (text.size() > 400) return;
  const bool view = text.find("__shared__") == std::string_view::npos;  // the struct over those bytes
  CppDraft& draft =
      context.add(Family::H3, view ? evidence::kind::alias : evidence::kind::allocation,
                  std::string(text.substr(0, 60)), std::string(text.substr(0, 160)), declaration);
  draft.construct = "allocation";
}

bool names_stages(std::string_view name) {
  const std::string low = to_lower(name);
  return low == "bp" || low.ends_with("stages") || low.ends_with("stagecount") || low.ends_with("pipe_max") ||
         low == "stages" || low.ends_with("stage_count");
}

void add_stages(CppContext& context, Node init) {
  const std::string name = leaf_name(init.child(Field::declarator_field));
  if (!names_stages(name)) return;
  const Node value = init.child(Field::value_field);
  CppDraft& draft = context.add(Family::H3, evidence::kind::stages, name,
                                name + " = " + std::string(value.text().substr(0, 100)), init);
  draft.construct = "stages";
  draft.fact.values["stages"] = context.value(value);
}
}  // namespace

void extract_cpp_storage(CppContext& context) {
  for (std::uint32_t i = 0; i < context.tree.size(); ++i) {
    const Node n = context.tree.at(i);
    if (n.is(NodeKind::struct_specifier) || n.is(NodeKind::union_specifier) ||
        n.is(NodeKind::class_specifier))
      add_struct(context, n);
    if (n.is(NodeKind::declaration)) add_shared_declaration(context, n);
    if (n.is(NodeKind::init_declarator)) add_stages(context, n);
  }
}

}  // namespace cutelab::reading
