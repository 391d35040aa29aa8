#include <optional>

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
  return name.ends_with("Storage") || name.find("Smem") != std::string_view::npos ||
         name.find("SharedStorage") != std::string_view::npos;
}

/// Folded with the formula that says how it came to be.
evidence::Value placed(std::int64_t number, const char* formula) {
  evidence::Value out = evidence::literal(number);
  out.formula = formula;
  out.known_by = evidence::KnownBy::computed;
  return out;
}

/// The name that a declarator declares, without pointers and extents.
std::string variable_name(Node declarator) {
  Node n = declarator;
  for (int depth = 0; depth < 8 && n.child(Field::declarator_field); ++depth)
    n = n.child(Field::declarator_field);
  return std::string(n.text().substr(0, 60));
}

/// The N of __align__(N) or alignas(N) in a declaration's text.
std::optional<std::int64_t> stated_alignment(std::string_view text) {
  for (const char* word : {"__align__(", "alignas("}) {
    const auto at = text.find(word);
    if (at == std::string_view::npos) continue;
    const auto begin = at + std::string_view(word).size();
    return parse_integer(text.substr(begin, text.find(')', begin) - begin));
  }
  return std::nullopt;
}

void add_struct(CppContext& context, Node structure) {
  const std::string name = leaf_name(structure.child(Field::name_field));
  if (!names_storage(name) || !structure.child(Field::body_field)) return;
  CppDraft& draft =
      context.add(Family::H3, evidence::kind::storage, name, "shared storage " + name, structure);
  draft.construct = "struct";
  draft.fact.values["bytes"] = context.value(context.folder.layout_of(structure), structure);
  draft.fact.values["bytes"].formula = "members in order, each aligned";
  if (const auto alignment = context.folder.alignment_of(structure))
    draft.fact.values["alignment"] = placed(*alignment, "largest of the members");
  const auto members = context.folder.members_of(structure);
  for (const Node member : structure.child(Field::body_field).children()) {
    if (!member.is(NodeKind::field_declaration) ||
        member.child(Field::declarator_field).is(NodeKind::function_declarator))
      continue;
    const std::string member_name = variable_name(member.child(Field::declarator_field));
    const std::string type(member.child(Field::type_field).text().substr(0, 120));
    if (member_name.empty()) continue;
    CppDraft& field = context.add(Family::H3, evidence::kind::storage_member, member_name,
                                  member_name + ": " + type, member);
    field.construct = "storage-member";
    field.fact.values["type"] = evidence::literal(type);
    field.fact.values["struct"] = evidence::literal(name);
    field.fact.values["bytes"] =
        evidence::undetermined("its size is not known", {member_name}, context.at(member), "");
    for (const CppFolder::Member& told : members) {
      if (told.name != member_name) continue;
      field.fact.values["bytes"] = placed(told.bytes, "elements times their size");
      field.fact.values["offset"] = placed(told.offset, "sum of the members before, aligned");
      field.fact.values["alignment"] = placed(told.alignment, "of the type, or alignas");
    }
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
  CppDraft& draft = context.add(
      Family::H3, view ? evidence::kind::alias : evidence::kind::allocation,
      view ? std::string(text.substr(0, 60)) : variable_name(declaration.child(Field::declarator_field)),
      std::string(text.substr(0, 160)), declaration);
  draft.construct = "allocation";
  if (view) return;
  draft.fact.values["type"] = evidence::literal(std::string(declaration.child(Field::type_field).text()));
  if (const auto alignment = stated_alignment(text))
    draft.fact.values["alignment"] = evidence::literal(*alignment);
  const bool sized_at_launch = text.find("extern") != std::string_view::npos;
  draft.fact.values["dynamic"] = evidence::literal(sized_at_launch);
  if (!sized_at_launch)
    draft.fact.values["bytes"] = context.value(context.folder.extent_of_variable(declaration), declaration);
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
