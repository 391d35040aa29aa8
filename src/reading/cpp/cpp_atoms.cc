#include <algorithm>
#include <optional>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// What the atoms of tiled operations are made of: ldmatrix and stmatrix with the matrices of one
/// instruction, the width of cp.async, how a tiled MMA repeats and permutes its atom; what a product
/// multiplies and which pipeline it is fed from.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// SM75_U32x4_LDSM_N, SM90_U16x8_STSM_T: registers of 32 bits hold a matrix of 8 by 8 elements of 16 bits
/// each.
void tell_matrix_copy(CppDraft& draft) {
  const std::string& name = draft.construct;
  const bool load = name.find("_LDSM_") != std::string::npos;
  if (!load && name.find("_STSM_") == std::string::npos) return;
  auto& values = draft.fact.values;
  values["instruction"] = evidence::literal(load ? "ldmatrix" : "stmatrix");
  values["transposed"] = evidence::literal(name.ends_with("_T"));
  const auto unit = name.find("_U");
  const auto times = unit == std::string::npos ? unit : name.find('x', unit);
  if (times == std::string::npos) return;
  const auto bits = parse_integer(name.substr(unit + 2, times - unit - 2)),
             count = parse_integer(name.substr(times + 1, name.find('_', times) - times - 1));
  if (bits && count && (*bits == 32 || *bits == 16) && *bits * *count % 32 == 0)
    values["matrices"] = evidence::literal(std::int64_t{*bits * *count / 32});
}

/// The `<…>` behind a name within a node, as its items.
std::vector<Node> arguments_behind(Node within, std::string_view leaf) {
  for (std::uint32_t i = within.index(); i < within.end_index(); ++i) {
    const Node n = within.tree()->at(i);
    if (n.is(NodeKind::template_type) && n.child(Field::name_field).text() == leaf)
      return cpp_items(n.child(Field::arguments_field));
  }
  return {};
}

/// SM80_CP_ASYNC_CACHEALWAYS<uint128_t>
void tell_async_copy(CppContext& context, CppDraft& draft) {
  const auto arguments = arguments_behind(draft.node, draft.construct);
  if (arguments.empty()) return;
  const CppValue type = context.folder.value(arguments[0]);
  if (type.is(CppValue::Kind::type) && type.bits > 0) {
    draft.fact.values["bits"] = evidence::literal(type.bits);
    draft.fact.values["bits"].formula = std::string(arguments[0].text());
    draft.fact.values["bits"].known_by = evidence::KnownBy::computed;
  } else {
    draft.fact.values["bits"] = context.value(type, arguments[0]);
  }
}

/// M, N and K of one instruction, where its name or its arguments give all three.
void tell_instruction(CppContext& context, Node operation, CppDraft& draft) {
  const CppValue made = context.folder.value(operation);
  evidence::Value::List extents;
  for (const char* name : {"op-m", "op-n", "op-k"})
    for (const auto& [field, value] : made.fields)
      if (field == name && value.integer()) extents.push_back(evidence::literal(*value.integer()));
  if (extents.size() != 3) return;
  evidence::Value& told = draft.fact.values["instruction_mnk"];
  told.data = std::move(extents);
  told.known_by = evidence::KnownBy::computed;
}

/// make_tiled_mma(op, Layout<Shape<_2,_2>>{}, Tile<_32,_32,_16>{}), TiledMMA<MMA_Atom<…>, Layout<…>, Tile<…>>
void tell_tiled_mma(CppContext& context, CppDraft& draft) {
  std::vector<Node> given;
  if (draft.construct == "make_tiled_mma" && draft.node.is(NodeKind::call_expression))
    given = cpp_items(draft.node.child(Field::arguments_field));
  if (!given.empty()) tell_instruction(context, given[0], draft);
  if (draft.construct == "TiledMMA") given = arguments_behind(draft.node, draft.construct);
  if (given.size() > 1) draft.fact.values["atoms"] = context.value(given[1]);
  if (given.size() > 2) draft.fact.values["permutation"] = context.value(given[2]);
}

std::string on_a_line(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 120))
    if (const bool space = c == ' ' || c == '\n' || c == '\t'; !space || (!out.empty() && out.back() != ' '))
      out += space ? ' ' : c;
  return out;
}

Node innermost_loop(Node n) {
  for (Node up = n.parent(); up && !up.is(NodeKind::function_definition); up = up.parent())
    if (is_loop(up)) return up;
  return {};
}

/// The pipeline whose full stage is waited for ahead of a product: the last such wait before it in its
/// function, of the loops around it the one it shares with the wait.
const CppDraft* fed_by(const CppContext& context, Node product) {
  const Node function = product.enclosing(NodeKind::function_definition);
  const CppDraft* best = nullptr;
  for (const CppDraft& d : context.drafts) {
    if (d.fact.kind != evidence::kind::wait || d.node.tree() != product.tree() ||
        !d.fact.values.count("pipeline"))
      continue;
    if (d.node.first_byte() > product.first_byte() || !function.contains(d.node)) continue;
    const Node loop = innermost_loop(d.node);
    if (loop && !loop.contains(product)) continue;
    if (!best || best->node.first_byte() < d.node.first_byte()) best = &d;
  }
  return best;
}

/// gemm(mma, a, b, c), gemm(mma, d, a, b, c), gemm(a, b, c)
void tell_product(CppContext& context, CppDraft& draft) {
  auto given = cpp_items(draft.node.child(Field::arguments_field));
  auto& values = draft.fact.values;
  if (!given.empty() && to_lower(given[0].text()).find("mma") != std::string::npos) {
    values["mma"] = evidence::literal(on_a_line(given[0].text()));
    given.erase(given.begin());
  }
  if (given.size() >= 3) {
    values["a"] = evidence::literal(on_a_line(given[given.size() - 3].text()));
    values["b"] = evidence::literal(on_a_line(given[given.size() - 2].text()));
    values["accumulators"] = evidence::literal(on_a_line(given.back().text()));
  }
  if (const CppDraft* wait = fed_by(context, draft.node)) {
    values["fed_by"] = wait->fact.values.at("pipeline");
    values["fed_by"].origins = {wait->fact.at};
  }
}

}  // namespace

void extract_cpp_atoms(CppContext& context) {
  for (CppDraft& draft : context.drafts) {
    tell_matrix_copy(draft);
    if (draft.construct.starts_with("SM80_CP_ASYNC")) tell_async_copy(context, draft);
    if (draft.fact.kind == evidence::kind::mma) tell_tiled_mma(context, draft);
    const bool product = draft.fact.kind == evidence::kind::gemm && draft.node.is(NodeKind::call_expression);
    if (product) tell_product(context, draft);
  }
}

}  // namespace cutelab::reading
