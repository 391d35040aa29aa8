#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "evidence/names.h"
#include "generated/constructs.h"
#include "reading/cpp/cpp_facts.h"
#include "reading/facts/remarks.h"

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

/// The one variable that a declaration makes; no node where it is none.
Node made_by(Node declaration) {
  const Node init =
      declaration.is(NodeKind::declaration) ? declaration.child(Field::declarator_field) : Node();
  return init.is(NodeKind::init_declarator) ? init : Node();
}

/// What the evaluation tells of what a construct makes or takes.
void add_numbers(CppContext& context, const CppConstruct& c, const std::string& leaf, CppDraft& draft) {
  const Node at = draft.node;
  const Node arguments = template_arguments_of(at, leaf);
  if (c.kind == evidence::kind::register_budget && arguments) {
    draft.fact.values["registers"] = context.value(cpp_items(arguments)[0]);
    draft.fact.values["action"] =
        evidence::literal(leaf.find("dealloc") != std::string::npos ? "decrease" : "increase");
    draft.fact.says += spill_remark;
  }
  if (c.kind == "pipeline" && leaf.starts_with("Pipeline") && arguments)
    draft.fact.values["stages"] = context.value(cpp_items(arguments)[0]);
  if (c.kind == evidence::kind::tensor_memory_allocation && at.is(NodeKind::call_expression)) {
    const auto given = cpp_items(at.child(Field::arguments_field));
    const bool all = !given.empty() && given[0].text().ends_with("TmemCapacityColumns");
    if (!given.empty())
      draft.fact.values["columns"] = all ? evidence::literal(std::int64_t{512}) : context.value(given[0]);
  }
  if (c.kind != evidence::kind::shared_layout) return;
  const Node made = made_by(at);
  const bool whole = at.is(NodeKind::call_expression) && at.parent().is(NodeKind::init_declarator);
  if (!made && !whole && !at.is(NodeKind::alias_declaration)) return;
  const Node value = made ? made.child(Field::value_field) : whole ? at : at.child(Field::type_field);
  const CppValue layout = context.folder.value(value);
  if (layout.is(CppValue::Kind::layout)) draft.fact.values["layout"] = context.value(layout, value);
}

void add(CppContext& context, const CppConstruct& c, const std::string& leaf, Node at, Node callee) {
  const Node made = made_by(at);
  const std::string target = made ? std::string(cpp_declared_name(made.child(Field::declarator_field)).text())
                             : at.is(NodeKind::alias_declaration)
                                 ? std::string(at.child(Field::name_field).text())
                                 : cpp_target(at);
  std::string says = replace_all(replace_all(c.says, "{leaf}", leaf), "{target}", target);
  const Node object = callee.is(NodeKind::field_expression) ? callee.child(Field::argument_field) : Node();
  says = replace_all(says, "{receiver}", std::string(object.text().substr(0, 60)));
  const std::string subject = !target.empty() ? target
                              : object        ? std::string(object.text().substr(0, 60))
                                              : leaf;
  CppDraft& draft = context.add(c.family, c.kind, subject, std::string(trim(says)), at);
  draft.construct = leaf;
  draft.fact.optional = c.optional;
  add_numbers(context, c, leaf, draft);
  if (c.kind == "mma" || c.kind == "copy" || c.kind == "barrier" || c.kind == "tma-descriptor" ||
      c.kind == "pipeline")
    draft.fact.values[c.kind == "pipeline" ? "class" : "operation"] = evidence::literal(leaf);
}
}  // namespace

namespace {
/// `f` of `a::f(…)`, `f<T>(…)`: the call is the construct.
bool names_callee(Node n) {
  while (n.field() == Field::name_field &&
         (n.parent().is(NodeKind::qualified_identifier) || n.parent().is(NodeKind::template_function)))
    n = n.parent();
  return n.parent().is(NodeKind::call_expression);
}

/// A bare call of a host function that this file defines: its name is not the library's.
bool calls_own_host_function(const CppContext& context, Node callee, const std::string& leaf) {
  if (!callee.is(NodeKind::identifier)) return false;
  for (const evidence::Function& f : context.reading.functions)
    if (f.name == leaf && f.kind == evidence::Function::Kind::host) return !cpp_on_device(callee);
  return false;
}
}  // namespace

void extract_cpp_constructs(CppContext& context) {
  std::set<std::tuple<const source::Tree*, int, std::string>>
      seen;  // one fact per line and construct for types
  for (const Node n : context.nodes()) {
    if (n.is(NodeKind::call_expression)) {
      const Node callee = n.child(Field::function_field);
      const std::string leaf = leaf_name(callee);
      if (const CppConstruct* c = find(leaf, n.text().substr(0, 400));
          c && !c->prefix && !calls_own_host_function(context, callee, leaf))
        add(context, *c, leaf, n, callee);
    } else if (n.is(NodeKind::type_identifier) || n.is(NodeKind::identifier)) {
      const std::string leaf(n.text());
      const CppConstruct* c = find(leaf, leaf);
      if (!c || names_callee(n) || n.field() == Field::declarator_field) continue;
      if (c->kind == evidence::kind::gemm) continue;  // a variable of that name; the function is called
      if (n.field() == Field::name_field &&
          (n.parent().is(NodeKind::struct_specifier) || n.parent().is(NodeKind::alias_declaration)))
        continue;
      if (n.parent().is(NodeKind::template_function) || n.enclosing(NodeKind::preproc_include) ||
          n.enclosing(NodeKind::using_declaration))
        continue;
      const Node at = carrier(n);
      if (seen.emplace(at.tree(), at.line(), leaf).second) add(context, *c, leaf, at, {});
    }
  }
}

}  // namespace cutelab::reading
