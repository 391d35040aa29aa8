#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "evidence/names.h"
#include "generated/constructs.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

struct CppConstruct {
  std::string name;
  bool prefix = false;
  Family family = Family::H1;
  std::string kind;
  std::string says;
  std::vector<std::string> path;
  bool optional = false;
};

struct Table {
  std::unordered_map<std::string, std::vector<CppConstruct>> exact;
  std::vector<CppConstruct> prefixes;
};

Family cpp_family_named(const std::string& name) {
  for (const Family family : evidence::all_families)
    if (name == evidence::name_of(family)) return family;
  return Family::H1;
}

Table load_table() {
  Table out;
  const auto table = nlohmann::json::parse(embedded::constructs);
  for (const auto& row : table.at("cpp")) {
    CppConstruct c;
    c.name = row.at("name");
    c.prefix = row.value("prefix", false);
    c.family = cpp_family_named(row.at("family"));
    c.kind = row.at("kind");
    c.says = row.at("says");
    c.path = row.value("path", std::vector<std::string>());
    c.optional = row.value("optional", false);
    (c.prefix ? out.prefixes : out.exact[c.name]).push_back(std::move(c));
  }
  return out;
}

const Table& table() {
  static const Table loaded = load_table();
  return loaded;
}

const CppConstruct* find(const std::string& leaf, std::string_view whole) {
  if (const auto rows = table().exact.find(leaf); rows != table().exact.end())
    for (const CppConstruct& c : rows->second) {
      bool fits = c.path.empty();
      for (const std::string& part : c.path) fits = fits || whole.find(part) != std::string_view::npos;
      if (fits) return &c;
    }
  for (const CppConstruct& c : table().prefixes)
    if (leaf.starts_with(c.name)) return &c;
  return nullptr;
}

/// The statement, member or declaration a type's mention belongs to.
Node carrier(Node n) {
  for (Node up = n; up; up = up.parent()) switch (up.kind()) {
      case NodeKind::alias_declaration:
      case NodeKind::declaration:
      case NodeKind::field_declaration:
      case NodeKind::expression_statement:
      case NodeKind::type_definition:
      case NodeKind::return_statement:
        return up;
      case NodeKind::function_definition:
      case NodeKind::compound_statement:
      case NodeKind::template_declaration:
        return n;
      default:
        break;
    }
  return n;
}

/// The `<…>` behind a name within a statement; no node where there is none or it is empty.
Node template_arguments_of(Node within, std::string_view leaf) {
  for (std::uint32_t i = within.index(); i < within.end_index(); ++i) {
    const Node n = within.tree()->at(i);
    const bool named = n.is(NodeKind::template_function) || n.is(NodeKind::template_type);
    if (named && n.child(Field::name_field).text() == leaf &&
        !cpp_items(n.child(Field::arguments_field)).empty())
      return n.child(Field::arguments_field);
  }
  return {};
}

void add(CppContext& context, const CppConstruct& c, const std::string& leaf, Node at, Node callee) {
  const std::string target = cpp_target(at);
  std::string says = replace_all(replace_all(c.says, "{leaf}", leaf), "{target}", target);
  const Node object = callee.is(NodeKind::field_expression) ? callee.child(Field::argument_field) : Node();
  says = replace_all(says, "{receiver}", std::string(object.text().substr(0, 60)));
  const std::string subject = !target.empty() ? target
                              : object        ? std::string(object.text().substr(0, 60))
                                              : leaf;
  CppDraft& draft = context.add(c.family, c.kind, subject, std::string(trim(says)), at);
  draft.construct = leaf;
  draft.fact.optional = c.optional;
  const Node arguments = template_arguments_of(at, leaf);
  if (c.kind == evidence::kind::register_budget && arguments) {
    draft.fact.values["registers"] = context.value(cpp_items(arguments)[0]);
    draft.fact.values["action"] =
        evidence::literal(leaf.find("dealloc") != std::string::npos ? "decrease" : "increase");
  }
  if (c.kind == "pipeline" && leaf.starts_with("Pipeline") && arguments)
    draft.fact.values["stages"] = context.value(cpp_items(arguments)[0]);
  if (c.kind == evidence::kind::shared_layout && !target.empty()) {
    const Node value = at.parent().is(NodeKind::init_declarator) ? at : at.child(Field::type_field);
    const CppValue layout = context.folder.value(at.is(NodeKind::alias_declaration) ? value : at);
    if (layout.is(CppValue::Kind::layout)) draft.fact.values["layout"] = context.value(layout, at);
  }
  if (c.kind == "mma" || c.kind == "copy" || c.kind == "barrier" || c.kind == "tma-descriptor" ||
      c.kind == "pipeline")
    draft.fact.values[c.kind == "pipeline" ? "class" : "operation"] = evidence::literal(leaf);
}
}  // namespace

void extract_cpp_constructs(CppContext& context) {
  std::set<std::pair<int, std::string>> seen;  // one fact per line and construct for types
  for (std::uint32_t i = 0; i < context.tree.size(); ++i) {
    const Node n = context.tree.at(i);
    if (n.is(NodeKind::call_expression)) {
      const Node callee = n.child(Field::function_field);
      const std::string leaf = leaf_name(callee);
      if (const CppConstruct* c = find(leaf, n.text().substr(0, 400)); c && !c->prefix)
        add(context, *c, leaf, n, callee);
    } else if (n.is(NodeKind::type_identifier) || n.is(NodeKind::identifier)) {
      const std::string leaf(n.text());
      const CppConstruct* c = find(leaf, leaf);
      if (!c || n.parent().is(NodeKind::call_expression)) continue;
      if (n.field() == Field::name_field &&
          (n.parent().is(NodeKind::struct_specifier) || n.parent().is(NodeKind::alias_declaration)))
        continue;
      if (n.parent().is(NodeKind::template_function) || n.enclosing(NodeKind::preproc_include)) continue;
      const Node at = carrier(n);
      if (seen.emplace(at.line(), leaf).second) add(context, *c, leaf, at, {});
    }
  }
}

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
}  // namespace

void extract_cpp_layouts(CppContext& context) {
  std::set<int> told;
  for (const CppDraft& d : context.drafts)
    if (d.fact.family == Family::D6) told.insert(d.fact.at.line());
  for (std::uint32_t i = 0; i < context.tree.size(); ++i) {
    const Node n = context.tree.at(i);
    const bool alias = n.is(NodeKind::alias_declaration);
    if (!alias && !n.is(NodeKind::init_declarator)) continue;
    const Node value = n.child(alias ? Field::type_field : Field::value_field);
    if (told.count(n.line()) || value.text().find('<') == std::string_view::npos) continue;
    const CppValue layout = context.folder.value(value);
    const bool told_so = layout.is(CppValue::Kind::layout);
    if (told_so ? layout.layout->swizzle().identity() : !swizzles_by_name(context, value)) continue;
    const std::string name(n.child(alias ? Field::name_field : Field::declarator_field).text().substr(0, 60));
    CppDraft& draft =
        context.add(Family::D6, evidence::kind::shared_layout, name, "swizzled layout " + name, n);
    draft.construct = "swizzled-layout";
    draft.fact.values["layout"] = context.value(layout, value);
  }
}

}  // namespace cutelab::reading
