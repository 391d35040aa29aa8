#include <optional>
#include <string_view>
#include <utility>

#include "evidence/names.h"
#include "reading/facts/context.h"

// D3, D4, E1: what the atoms of tiled operations are made of: how a tiled MMA repeats and permutes its atom,
// ldmatrix and stmatrix with the matrices of one instruction, the width of cp.async.

namespace cutelab::reading {
using evidence::Family;
using source::Node;
using NodeKind = source::Kind;
namespace {

Node given(const FactContext& context, Node call, int position, const char* keyword) {
  const Node by_name = context.keyword(call, keyword);
  return by_name || position < 0 ? by_name : context.positional(call, position);
}

/// make_tiled_mma(op, atom_layout_mnk, permutation_mnk), and the library's makers with these keywords.
void complete_tiled_mma(FactContext& context, Draft& draft) {
  if (!draft.node.is(NodeKind::call)) return;
  const Abstract shape = context.evaluator.made_with(0, draft.node, "shape_mnk");
  if (shape.known()) {
    evidence::Value& told = draft.fact.values["instruction_mnk"] = context.value(shape, draft.node);
    told.formula.clear();
  }
  const bool own = draft.construct == "make_tiled_mma";
  if (const Node atoms = given(context, draft.node, own ? 1 : -1, "atom_layout_mnk"))
    draft.fact.values["atoms"] = context.value(atoms);
  const Node permutation = given(context, draft.node, own ? 2 : -1, "permutation_mnk");
  if (permutation && !permutation.is(NodeKind::none))
    draft.fact.values["permutation"] = context.value(permutation);
}

/// "Ld", "8x8x16b" of LdMatrix8x8x16bOp.
struct MatrixCopy {
  bool load = false;
  std::string_view shape;
};
std::optional<MatrixCopy> matrix_copy(std::string_view leaf) {
  constexpr std::string_view stem = "Matrix", end = "Op";
  if (leaf.size() < 11 || leaf.substr(2, stem.size()) != stem || !leaf.ends_with(end)) return std::nullopt;
  if (!leaf.starts_with("Ld") && !leaf.starts_with("St")) return std::nullopt;
  return MatrixCopy{leaf.starts_with("Ld"), leaf.substr(8, leaf.size() - 8 - end.size())};
}

Draft* draft_on(FactContext& context, const CallSite& site) {
  for (Draft& draft : context.drafts)
    if (draft.node == site.call && draft.construct == site.leaf) return &draft;
  return nullptr;
}

evidence::Value or_default(FactContext& context, Node node, evidence::Value otherwise) {
  return node ? context.value(node) : std::move(otherwise);
}

/// warp.LdMatrix8x8x16bOp(transpose, num_matrices).
void add_matrix_copy(FactContext& context, const CallSite& site, const MatrixCopy& copy) {
  Draft* known = draft_on(context, site);
  const std::string name = copy.load ? "ldmatrix" : "stmatrix";
  Draft& draft = known ? *known
                       : context.add(copy.load ? Family::D4 : Family::E1, "matrix-copy", name,
                                     name + " of " + std::string(copy.shape), site.call);
  if (!known) {
    draft.construct = site.leaf;
    draft.fact.optional = true;
  }
  auto& values = draft.fact.values;
  values["instruction"] = evidence::literal(name);
  values["shape"] = evidence::literal(std::string(copy.shape));
  values["matrices"] =
      or_default(context, given(context, site.call, 1, "num_matrices"), evidence::literal(std::int64_t{1}));
  values["transposed"] =
      or_default(context, given(context, site.call, 0, "transpose"), evidence::literal(false));
}

/// make_copy_atom(cpasync.CopyG2SOp(…), type, num_bits_per_copy=…).
void complete_async_atom(FactContext& context, Draft& draft) {
  const Node bits = context.keyword(draft.node, "num_bits_per_copy");
  if (bits) draft.fact.values["bits"] = context.value(bits);
}

}  // namespace

void extract_atoms(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind == evidence::kind::mma) complete_tiled_mma(context, draft);
    if (draft.construct == "cp-async-atom") complete_async_atom(context, draft);
  }
  for (const CallSite& site : context.calls())
    if (const auto copy = matrix_copy(site.leaf)) add_matrix_copy(context, site, *copy);
}

}  // namespace cutelab::reading
