#include <set>
#include <utility>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// Matrix products: the accumulators that they add to, calls of helpers that multiply, tiled operations that
/// a name of another file makes.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
using HelperNames = std::set<std::string, std::less<>>;

/// Functions of included headers, for the device, that multiply: themselves, or through each other.
HelperNames multiplying_helpers(const CppContext& context) {
  HelperNames out;
  for (bool more = true; more;) {
    more = false;
    for (const source::Tree* tree : context.trees) {
      if (tree == &context.tree) continue;
      for (std::uint32_t i = 0; i < tree->size(); ++i) {
        const Node n = tree->at(i);
        if (!n.is(NodeKind::call_expression)) continue;
        const std::string leaf = leaf_name(n.child(Field::function_field));
        if (leaf != "gemm" && !out.count(leaf)) continue;
        const Node function = n.enclosing(NodeKind::function_definition);
        if (function && function_kind(function) != evidence::Function::Kind::host)
          more = out.emplace(leaf_name(cpp_function_name(function))).second || more;
      }
    }
  }
  return out;
}

void add_helper_products(CppContext& context) {
  const HelperNames helpers = multiplying_helpers(context);
  if (helpers.empty()) return;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::call_expression) || n.tree() != &context.tree) continue;
    const std::string leaf = leaf_name(n.child(Field::function_field));
    if (leaf == "gemm" || !helpers.count(leaf)) continue;
    context.add(Family::D4, evidence::kind::gemm, leaf, "matrix multiply-accumulate (" + leaf + ")", n)
        .construct = "gemm";
  }
}

/// Where the last argument of a product was declared.
void add_accumulators(CppContext& context) {
  std::set<std::pair<const source::Tree*, std::uint32_t>> told;
  std::vector<Node> declared;
  for (const CppDraft& d : context.drafts) {
    if (d.fact.kind != evidence::kind::gemm || !d.node.is(NodeKind::call_expression)) continue;
    const auto arguments = cpp_items(d.node.child(Field::arguments_field));
    if (arguments.size() < 3 || !arguments.back().is(NodeKind::identifier)) continue;
    const Node made = context.folder.definition_of(arguments.back());
    if (made.is(NodeKind::init_declarator) && told.emplace(made.tree(), made.index()).second)
      declared.push_back(made);
  }
  for (const Node made : declared) {
    bool known = false;
    for (const CppDraft& d : context.drafts)
      known = known || (d.fact.kind == "accumulator" && made.contains(d.node));
    if (known) continue;
    const std::string name(cpp_declared_name(made.child(Field::declarator_field)).text());
    context.add(Family::D4, "accumulator", name, "accumulator " + name, made).construct = "accumulator";
  }
}

/// `mma.accumulate_ = GMMA::ScaleOut::Zero;`: whether the first product clears the accumulators.
void add_scale_out(CppContext& context, Node assignment) {
  const std::string_view left = assignment.child(Field::left_field).text();
  if (!left.ends_with("accumulate_")) return;
  const std::string right(assignment.child(Field::right_field).text().substr(0, 60));
  context.add(Family::D4, "accumulate", std::string(left.substr(0, 60)), "accumulates: " + right, assignment)
      .construct = "accumulate";
}

/// An alias of a tiled operation that a template of another file, or the library's collective, makes.
using Lines = std::set<std::pair<const source::Tree*, int>>;

void add_tiled_alias(CppContext& context, Node alias, const Lines& told) {
  if (told.count({alias.tree(), alias.line()})) return;
  const Node type = alias.child(Field::type_field);
  const std::string_view name = alias.child(Field::name_field).text();
  bool tiled =
      name.find("TiledMma") != std::string_view::npos || name.find("TiledMMA") != std::string_view::npos;
  for (std::uint32_t i = type.index(); !tiled && type && i < type.end_index(); ++i) {
    const Node n = type.tree()->at(i);
    if (!n.is(NodeKind::template_type)) continue;
    const Node behind = context.folder.definition_of(n.child(Field::name_field));
    tiled = behind.is(NodeKind::alias_declaration) && behind.tree() != alias.tree() &&
            behind.text().find("make_tiled_mma(") != std::string_view::npos;
  }
  if (!tiled) return;
  CppDraft& draft =
      context.add(Family::D4, "mma", std::string(name), "tiled MMA " + std::string(name), alias);
  draft.construct = "tiled-mma-alias";
  draft.fact.values["operation"] = evidence::literal(std::string(type.text().substr(0, 120)));
}
}  // namespace

namespace {
/// The family of instructions that an operation or a selector names; "" = not told.
const char* instructions_of(std::string_view text) {
  const auto names = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (names("SM100_") || names("SM103_") || names("UMMA::")) return "tcgen05";
  if (names("GMMA::") || names("SM90_64x")) return "wgmma";
  if (names("SM70_") || names("SM75_") || names("SM80_") || names("SM89_") || names("SM120_"))
    return "mma.sync";
  return "";
}

void tell_families(CppContext& context) {
  for (CppDraft& draft : context.drafts) {
    if (draft.fact.kind != "mma") continue;
    const std::string family = instructions_of(draft.node.text().substr(0, 600));
    if (!family.empty()) draft.fact.values["family"] = evidence::literal(family);
  }
}
}  // namespace

void extract_cpp_mma(CppContext& context) {
  add_helper_products(context);
  add_accumulators(context);
  Lines told;
  for (const CppDraft& d : context.drafts)
    if (d.fact.kind == "mma") told.emplace(d.node.tree(), d.node.line());
  for (const Node n : context.nodes()) {
    if (n.is(NodeKind::assignment_expression)) add_scale_out(context, n);
    if (n.is(NodeKind::alias_declaration)) add_tiled_alias(context, n, told);
  }
  tell_families(context);
}

}  // namespace cutelab::reading
