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

bool holds_members(Node type) {
  return (type.is(NodeKind::struct_specifier) || type.is(NodeKind::union_specifier)) &&
         type.child(Field::body_field);
}

CppDraft& add_member(CppContext& context, Node member, const std::string& name, const std::string& owner,
                     const std::vector<CppFolder::Member>& members) {
  const std::string type(member.child(Field::type_field).text().substr(0, 120));
  CppDraft& field = context.add(Family::H3, evidence::kind::storage_member, name, name + ": " + type, member);
  field.construct = "storage-member";
  field.fact.values["type"] = evidence::literal(type);
  field.fact.values["struct"] = evidence::literal(owner);
  field.fact.values["bytes"] =
      evidence::undetermined("its size is not known", {name}, context.at(member), "");
  for (const CppFolder::Member& told : members) {
    if (told.name != name) continue;
    field.fact.values["bytes"] = placed(told.bytes, "elements times their size");
    field.fact.values["offset"] = placed(told.offset, "sum of the members before, aligned");
    field.fact.values["alignment"] = placed(told.alignment, "of the type, or alignas");
  }
  field.fact.optional =
      to_lower(type).find("barrier") != std::string::npos || type.find("uint64") != std::string::npos;
  return field;
}

/// A member of what is written out inside a struct: a part of bytes that are told already.
void add_part(CppContext& context, Node member, const std::string& name, const std::string& of) {
  CppDraft& draft = context.add(Family::H3, evidence::kind::alias, name, name + ", inside " + of, member);
  draft.construct = "storage-part";
  draft.fact.values["of"] = evidence::literal(of);
}

/// Members of structs and unions written out inside a struct; those of a union lie over each other.
void add_parts(CppContext& context, Node type, const std::string& of) {
  for (const Node member : type.child(Field::body_field).children()) {
    if (!member.is(NodeKind::field_declaration) ||
        member.child(Field::declarator_field).is(NodeKind::function_declarator))
      continue;
    const Node inner = member.child(Field::type_field);
    const std::string name = variable_name(member.child(Field::declarator_field));
    if (holds_members(inner) && !inner.child(Field::name_field))
      add_parts(context, inner, name.empty() ? of : name);
    else if (!name.empty())
      add_part(context, member, name, of);
  }
}

void add_members(CppContext& context, Node structure, const std::string& owner,
                 const std::vector<CppFolder::Member>& members) {
  for (const Node member : structure.child(Field::body_field).children()) {
    if (!member.is(NodeKind::field_declaration) ||
        member.child(Field::declarator_field).is(NodeKind::function_declarator))
      continue;
    const Node type = member.child(Field::type_field);
    const bool written_out = holds_members(type) && !type.child(Field::name_field);
    const std::string name = variable_name(member.child(Field::declarator_field));
    if (!name.empty()) add_member(context, member, name, owner, members);
    if (!written_out) continue;
    if (!name.empty()) {
      add_parts(context, type, name);
      continue;
    }
    // An unnamed union's members are the struct's own: the first stands for the bytes that all of them share.
    const bool overlaid = type.is(NodeKind::union_specifier);
    if (overlaid) add_part(context, member, "a union", owner);
    std::string first;
    for (const Node inner : type.child(Field::body_field).children()) {
      const std::string part = variable_name(inner.child(Field::declarator_field));
      if (!inner.is(NodeKind::field_declaration) || part.empty()) continue;
      if (overlaid && !first.empty()) {
        add_part(context, inner, part, first);
        continue;
      }
      add_member(context, inner, part, owner, context.folder.members_of(type));
      first = part;
    }
  }
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
  add_members(context, structure, name, context.folder.members_of(structure));
}

void add_shared_variable(CppContext& context, Node declaration, Node declarator) {
  const std::string_view text = declaration.text();
  if (declarator.is(NodeKind::init_declarator)) declarator = declarator.child(Field::declarator_field);
  CppDraft& draft = context.add(Family::H3, evidence::kind::allocation,
                                std::string(cpp_declared_name(declarator).text().substr(0, 60)),
                                std::string(text.substr(0, 160)), declaration);
  draft.construct = "allocation";
  draft.fact.values["type"] = evidence::literal(std::string(declaration.child(Field::type_field).text()));
  if (const auto alignment = stated_alignment(text))
    draft.fact.values["alignment"] = evidence::literal(*alignment);
  const bool sized_at_launch = text.find("extern") != std::string_view::npos;
  draft.fact.values["dynamic"] = evidence::literal(sized_at_launch);
  if (!sized_at_launch)
    draft.fact.values["bytes"] =
        context.value(context.folder.extent_of_variable(declaration, declarator), declaration);
}

/// `__shared__ float a[2], b[4];`; the struct that is laid over such bytes.
void add_shared_declaration(CppContext& context, Node declaration) {
  const std::string_view text = declaration.text();
  if (text.size() > 400) return;
  if (cpp_specifiers(declaration).find("__shared__") != std::string_view::npos) {
    for (const CppDeclared& one : cpp_declarators(declaration))
      add_shared_variable(context, declaration, one.declarator);
    return;
  }
  if (text.find("SharedStorage&") == std::string_view::npos &&
      text.find("SharedStorage &") == std::string_view::npos)
    return;
  CppDraft& draft = context.add(Family::H3, evidence::kind::alias, std::string(text.substr(0, 60)),
                                std::string(text.substr(0, 160)), declaration);
  draft.construct = "allocation";
}

bool names_stages(std::string_view name) {
  const std::string low = to_lower(name);
  return low == "bp" || low.ends_with("stages") || low.find("stagecount") != std::string::npos ||
         low.ends_with("pipe_max") || low.ends_with("stage_count") || low.starts_with("num_stage");
}

void add_stages(CppContext& context, Node at, const std::string& name, Node value) {
  if (!names_stages(name) || !value) return;
  CppDraft& draft = context.add(Family::H3, evidence::kind::stages, name,
                                name + " = " + std::string(value.text().substr(0, 100)), at);
  draft.construct = "stages";
  draft.fact.values["stages"] = context.value(value);
}

/// `constexpr Config config{TILE_M, TILE_N, STAGES};`: a member of the configuration is the stage count.
void add_configured_stages(CppContext& context, Node init) {
  const Node value = init.child(Field::value_field);
  if (!value.is(NodeKind::initializer_list) ||
      init.parent().text().find("constexpr") == std::string_view::npos)
    return;
  const CppValue made = context.folder.value_of_declaration(init);
  if (!made.is(CppValue::Kind::structure)) return;
  for (const auto& [field, given] : made.fields) {
    if (!names_stages(field)) continue;
    const std::string name = leaf_name(init.child(Field::declarator_field)) + "." + field;
    CppDraft& draft =
        context.add(Family::H3, evidence::kind::stages, name, name + ", a member of the configuration", init);
    draft.construct = "stages";
    draft.fact.values["stages"] = context.value(given, value);
  }
}
}  // namespace

void extract_cpp_storage(CppContext& context) {
  for (const Node n : context.nodes()) {
    if (n.is(NodeKind::struct_specifier) || n.is(NodeKind::union_specifier) ||
        n.is(NodeKind::class_specifier))
      add_struct(context, n);
    if (n.is(NodeKind::declaration)) add_shared_declaration(context, n);
    if (n.is(NodeKind::init_declarator)) {
      add_stages(context, n, leaf_name(n.child(Field::declarator_field)), n.child(Field::value_field));
      add_configured_stages(context, n);
    }
    if (n.is(NodeKind::field_declaration))
      add_stages(context, n, variable_name(n.child(Field::declarator_field)),
                 n.child(Field::default_value_field));
  }
}

}  // namespace cutelab::reading
