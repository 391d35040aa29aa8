#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Assignment;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

std::string family_of(const std::string& path) {
  for (const auto& [part, family] : {std::pair{"tcgen05", "tcgen05"},
                                     {"blackwell_helpers", "tcgen05"},
                                     {"sm100", "tcgen05"},
                                     {"warpgroup", "wgmma"},
                                     {"hopper_helpers", "wgmma"},
                                     {"sm90", "wgmma"},
                                     {"nvgpu.warp.", "mma.sync"},
                                     {"SM120", "mma.sync"},
                                     {"Universal", "simt"}})
    if (path.find(part) != std::string::npos) return family;
  return {};
}

/// How a warpgroup reads its operands, which is what their printed thread-value layouts show.
evidence::Value warpgroup_operands(FactContext& context, const Draft& draft) {
  const Node source = draft.node.is(NodeKind::call) ? context.keyword(draft.node, "a_source") : Node();
  const std::string from = source ? context.value(source).text() : "";
  const bool registers = source && from.find("RMEM") != std::string::npos;
  if (source && !registers && from.find("SMEM") == std::string::npos)
    return evidence::undetermined("where A comes from is not told",
                                  {std::string(source.text().substr(0, 80))}, context.at(source), "");
  return evidence::literal(registers ? "A and C over the threads, B through a descriptor (thread stride 0)"
                                     : "A and B through descriptors (thread stride 0), C over the threads");
}

bool is_accumulator(std::string_view name) {
  const std::string low = to_lower(name);
  return low.find("acc") != std::string::npos && low.find("access") == std::string::npos &&
         low.find("stage") == std::string::npos;
}

/// "accumulators tCrC"; a name that says it already is not said twice.
std::string named_accumulators(const std::string& name) {
  return name == "accumulators" ? name : "accumulators " + name;
}

/// Accumulators in registers: make_rmem_tensor / make_fragment bound to an accumulator's name, in device
/// code.
void add_register_accumulators(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    const bool makes = site.leaf == "make_rmem_tensor" || site.leaf == "make_fragment" ||
                       site.leaf == "make_rmem_tensor_like" || site.leaf == "make_fragment_like";
    if (!makes || !is_accumulator(site.target)) continue;
    Draft& draft = context.add(Family::D4, "accumulator", site.target,
                               named_accumulators(site.target) + " in registers", site.call);
    draft.construct = "register-accumulator";
    draft.fact.values["accumulator"] = evidence::literal("registers");
  }
}

/// Where the item lies that a name takes of what a call gives back; "" = not told.
std::string space_of_item(FactContext& context, const Assignment& a) {
  Abstract item = context.evaluator.value_of(0, a.value);
  for (const int slot : a.slots) {
    const auto index = static_cast<std::size_t>(slot);
    if (!item.is(Abstract::Kind::tuple) || index >= item.items.size()) return {};
    item = Abstract(item.items[index]);
  }
  return memory_space(context, item);
}

/// acc, tCrA, tCrB = helper(…): a helper that makes fragments gives the accumulator too.
void add_accumulators_of_helpers(FactContext& context) {
  static const std::vector<std::string> makers = {"make_fragment_C", "make_rmem_tensor", "make_fragment",
                                                  "make_rmem_tensor_like"};
  for (const Assignment& a : context.module().assignments()) {
    if (a.slots.empty() || a.function < 0 || !a.value.is(NodeKind::call) || !is_accumulator(a.name)) continue;
    const auto kind = context.reading.functions[static_cast<std::size_t>(a.function)].kind;
    if (kind == evidence::Function::Kind::host) continue;
    int m = 0, f = -1;
    const bool named =
        leaf_name(a.value.child(Field::function_field).text()).starts_with("partition_fragment");
    if (!named &&
        (!context.evaluator.callee_function(0, a.value, &m, &f) || !context.function_contains(m, f, makers)))
      continue;
    const std::string space = named ? "registers" : space_of_item(context, a);
    Draft& draft =
        context.add(Family::D4, "accumulator", a.name,
                    named_accumulators(a.name) + (space.empty() ? "" : " in " + space), a.statement);
    draft.construct = space == "tensor-memory" ? "tmem-tensor" : "register-accumulator";
    draft.fact.values["accumulator"] =
        !space.empty()
            ? evidence::literal(space)
            : evidence::undetermined("what the helper gives back could not be followed", {a.name},
                                     context.at(a.value), std::string(a.value.text().substr(0, 60)));
  }
}

/// Which operand of a multiply a tensor is, by the fragment that its layout is taken of, else by the multiply
/// it is given to; 0 = none.
char operand_of(const FactContext& context, const CallSite& tensor) {
  const std::string_view made = tensor.call.text();
  for (const char operand : {'A', 'B'})
    if (made.find(std::string("make_fragment_") + operand + "(") != std::string_view::npos) return operand;
  char out = 0;
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "gemm" || site.function != tensor.function || !context.positional(site.call, 3))
      continue;
    const auto given = [&](int i) {
      const std::string_view text = context.positional(site.call, i).text();
      return text.substr(0, text.find_first_of("[(")) == tensor.target;
    };
    if (given(1)) return 0;
    if (given(2) || given(3)) out = given(2) ? 'A' : 'B';
  }
  return out;
}

/// tCtAcc = cute.make_tensor(tmem_ptr, …): the accumulator rebased on the allocated tensor memory, or an
/// operand that lies there.
void add_tensor_memory_accumulators(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "make_tensor" || site.target.empty()) continue;
    const Node pointer = context.positional(site.call, 0);
    if (!pointer || to_lower(pointer.text()).find("tmem") == std::string::npos) continue;
    const char operand = operand_of(context, site);
    Draft& draft = context.add(Family::D4, operand ? evidence::kind::tensor_memory_tensor : "accumulator",
                               site.target, site.target + " lies in tensor memory", site.call);
    draft.construct = "tmem-tensor";
    if (operand)
      draft.fact.values["operand"] = evidence::literal(std::string(1, operand));
    else
      draft.fact.values["accumulator"] = evidence::literal("tensor-memory");
  }
}

void add_pipelined_loops(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "range" || !context.keyword(site.call, "prefetch_stages")) continue;
    const Node loop = site.call.enclosing(NodeKind::for_statement);
    Draft& draft = context.add(Family::D4, "pipelined-loop", "prefetch_stages",
                               "loop pipelined by the compiler", loop ? loop : site.call);
    draft.fact.values["prefetch_stages"] = context.value(context.keyword(site.call, "prefetch_stages"));
    draft.construct = "pipelined-loop";
  }
}

/// Tile shapes: mma_tiler_mnk = …, mma_inst_tile_k = 4, self.cta_tile_shape_mnk = …
void add_tiles(FactContext& context) {
  for (const Assignment& a : context.module().assignments()) {
    if (!a.value || a.form != Assignment::Form::plain || !a.slots.empty() || a.value.is(NodeKind::none))
      continue;
    std::string name = to_lower(a.name);
    if (name.starts_with("self.")) name = name.substr(5);
    const bool tile = name.starts_with("mma_tiler") || name == "tile_shape_mnk" ||
                      name.ends_with("mma_tiler_mnk") || name == "tiler_mnk" ||
                      name.starts_with("mma_inst_tile_k") || name.ends_with("_mma_tiler") ||
                      name == "tile_mnk";
    const bool instruction =
        name.starts_with("mma_inst_shape") || name.starts_with("mma_inst_mnk") || name == "atom_layout_mnk";
    const bool types = a.function < 0 && (name == "io_dtype" || name == "acc_dtype" || name == "ab_dtype");
    const bool group = name == "cta_group";
    if (!tile && !instruction && !types && !group) continue;
    if (tile && a.value.is(NodeKind::identifier)) continue;
    const char* what = group                      ? "CTA group"
                       : types                    ? "element type"
                       : tile                     ? "tile"
                       : name.starts_with("atom") ? "atoms along M, N, K:"
                                                  : "instruction shape";
    Draft& draft = context.add(Family::D4, "tile", a.name, std::string(what) + " " + a.name, a.statement);
    draft.fact.values["shape"] = context.value(a.value);
    draft.fact.optional = instruction || types;
    draft.construct = group ? "cta-group" : "tile";
  }
}

/// def __init__(self, cta_tiler=(128, 128, 8)): the tile where no caller gives another.
void add_default_tiles(FactContext& context) {
  for (const source::PythonFunction& f : context.module().functions()) {
    if (f.name != "__init__") continue;
    for (const source::Parameter& p : f.parameters) {
      const bool named = p.name == "cta_tiler" || p.name.starts_with("mma_tiler") || p.name == "tiler_mnk" ||
                         p.name.starts_with("tile_shape") || p.name == "tile_mnk";
      if (!named || !p.default_value.is(NodeKind::tuple)) continue;
      Draft& draft =
          context.add(Family::D4, "tile", p.name, "tile " + p.name + " by default", p.default_value.parent());
      draft.fact.values["shape"] = context.value(p.default_value);
      draft.construct = "tile";
    }
  }
}

/// x.fill(0) on an accumulator, by its name or because a multiply adds to it.
void add_zeroing(FactContext& context) {
  std::set<std::string, std::less<>> sums;
  for (const CallSite& site : context.calls())
    if (site.leaf == "gemm" && context.positional(site.call, 3))
      sums.emplace(context.positional(site.call, 1).text());
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "fill" || (!is_accumulator(site.receiver) && !sums.count(site.receiver))) continue;
    Draft& draft =
        context.add(Family::D4, "accumulator-zero", site.receiver, site.receiver + " zeroed", site.call);
    draft.construct = "zero";
  }
}

/// mma_fn = partial(helpers.gemm_w_idx, tiled_mma, …): the multiply is bound here and called under another
/// name.
void add_bound_gemms(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "partial") continue;
    const std::string bound = source::dotted_text(context.positional(site.call, 0));
    if (!bound.substr(bound.rfind('.') + 1).starts_with("gemm")) continue;
    Draft& draft = context.add(Family::D4, evidence::kind::gemm, site.target,
                               "matrix multiply " + bound + " bound to " + site.target, site.call);
    draft.construct = "gemm-bound";
  }
}

/// Calls of local helpers that hold the matrix multiply.
void add_helper_gemms(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (site.leaf == "gemm" || !context.evaluator.callee_function(0, site.call, &m, &f)) continue;
    const std::string low = to_lower(site.leaf);
    if (low.find("gemm") == std::string::npos && low.find("mma") == std::string::npos) continue;
    if (!context.function_contains(m, f, {"gemm"})) continue;
    const int at = context.module().function_at(site.call);
    if (at < 0) continue;
    Draft& draft = context.add(Family::D4, evidence::kind::gemm, site.leaf,
                               "matrix multiply through " + site.leaf, site.call);
    draft.construct = "gemm-helper";
  }
}
/// make_tiled_mma(op, …) where another function chose the operation: the one it gave.
std::string chosen_operation(FactContext& context, const Draft& draft) {
  if (draft.construct != "make_tiled_mma") return {};
  const Node given = context.positional(draft.node, 0);
  if (!given.is(NodeKind::identifier) && !given.is(NodeKind::attribute)) return {};
  const std::string operation = context.operation_of(context.evaluator.value_of(0, given));
  return operation.find("Mma") == std::string::npos ? std::string() : operation;
}

void complete_mma(FactContext& context, Draft& draft) {
  const std::string chosen = chosen_operation(context, draft);
  if (!chosen.empty()) draft.path = chosen;
  const std::string family = family_of(draft.path);
  if (!family.empty()) draft.fact.values["family"] = evidence::literal(family);
  if (family == "wgmma") draft.fact.values["operands"] = warpgroup_operands(context, draft);
  draft.fact.values["operation"] = evidence::literal(chosen.empty() ? draft.construct : leaf_name(chosen));
}

/// alloc_tmem(columns, pointer), TmemAllocator.allocate(columns), tcgen05_alloc(pointer, columns).
void complete_columns(FactContext& context, Draft& draft) {
  Node columns = context.positional(draft.node, draft.construct == "tcgen05_alloc" ? 1 : 0);
  for (const char* name : {"num_columns", "num_cols", "ncols"})
    if (!columns) columns = context.keyword(draft.node, name);
  if (draft.construct == "tcgen05_alloc_asm" || !columns) return;
  draft.fact.values["columns"] = context.value(columns);
}
std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) out += c;
    if (space && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

/// cute.gemm(tiled_mma, d, a, b, c): what it multiplies and where the sum goes.
void complete_gemm(FactContext& context, Draft& draft) {
  static constexpr std::array<const char*, 4> names = {"mma", "accumulators", "a", "b"};
  if (draft.construct != "gemm" || !context.positional(draft.node, 3)) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    draft.fact.values[names[i]] = evidence::literal(
        on_one_line(context.positional(draft.node, static_cast<int>(i)).text().substr(0, 120)));
  const std::string& sum = *draft.fact.values["accumulators"].string();
  if (draft.fact.subject == "gemm") draft.fact.subject = sum.substr(0, sum.find('['));
}
}  // namespace

void extract_mma(FactContext& context) {
  for (Draft& draft : context.drafts)
    if (draft.fact.kind == evidence::kind::gemm) complete_gemm(context, draft);
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != "operand-fragment") continue;
    const Abstract atom = context.evaluator.made_with(0, draft.node, "descriptor_atom");
    if (atom.known() || atom.text != "not run")
      draft.fact.values["descriptor_atom"] = context.value(atom, draft.node);
  }
  for (Draft& draft : context.drafts)
    if (draft.fact.kind == evidence::kind::mma) complete_mma(context, draft);
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind == evidence::kind::tensor_memory_allocation && !draft.fact.values.count("columns"))
      complete_columns(context, draft);
    if (draft.construct == "set" && draft.fact.family == Family::D4)
      draft.fact.says =
          "MMA field " + std::string(draft.node.child(Field::arguments_field).text().substr(0, 80));
  }
  add_register_accumulators(context);
  add_accumulators_of_helpers(context);
  add_tensor_memory_accumulators(context);
  add_pipelined_loops(context);
  add_tiles(context);
  add_default_tiles(context);
  add_zeroing(context);
  add_helper_gemms(context);
  add_bound_gemms(context);
}

}  // namespace cutelab::reading
