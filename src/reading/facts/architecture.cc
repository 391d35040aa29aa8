#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
namespace {

struct Demand {
  int level = 0;  ///< 80, 90, 100 …
  const char* minimum = "";
  const char* family = "";
  const char* reason = "";
};

bool holds(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Matrix multiplies and tensor memory.
Demand multiply_demand(const Draft& draft) {
  const std::string& path = draft.path;
  const std::string& name = draft.construct;
  const std::string& kind = draft.fact.kind;
  if (name.starts_with("SM103Mma")) return {103, "sm_103a", "sm_103f", "block-scaled MMA of sm_103"};
  if (kind == evidence::kind::mma && (holds(path, "MmaSM120") || holds(name, "SM120")))
    return {120, "sm_120a", "sm_120f", "block-scaled MMA of sm_120"};
  const bool mma = kind == evidence::kind::mma || name == "tcgen05_mma";
  if (mma && (holds(path, "tcgen05") || holds(path, "blackwell_helpers") || holds(path, "sm100") ||
              holds(name, "tcgen05") || name == "Tcgen05InstrDesc"))
    return {100, "sm_100a", "sm_100f, sm_110f", "tcgen05 MMA"};
  if (kind == evidence::kind::tensor_memory_allocation || name == "TmemAllocator")
    return {100, "sm_100a", "sm_100f, sm_110f", "tensor memory"};
  if ((mma && (holds(path, "warpgroup") || holds(path, "hopper_helpers") || holds(path, "sm90"))) ||
      name.starts_with("wgmma"))
    return {90, "sm_90a", "", "wgmma"};
  if (mma && holds(path, "nvgpu.warp."))
    return holds(path, ".MmaMX")    ? Demand{120, "sm_120a", "sm_120f", "block-scaled MMA of sm_120"}
           : holds(path, ".MmaFP8") ? Demand{89, "sm_89", "", "mma.sync of 8-bit floats"}
                                    : Demand{80, "sm_80", "", "mma.sync"};
  return {};
}

/// Copies between registers and shared memory, accesses of all devices at once: no fact of their own, but
/// not of every architecture.
Demand copy_demand(const std::string& leaf) {
  if (leaf.starts_with("multimem_")) return {90, "sm_90", "", "multimem"};
  if (leaf == "StMatrix8x8x16bOp") return {90, "sm_90", "", "stmatrix"};
  if (leaf == "StMatrix16x8x8bOp")
    return {100, "sm_100a", "sm_100f, sm_110f, sm_120f", "stmatrix of 8-bit matrices"};
  if (leaf == "LdMatrix16x16x8bOp" || leaf == "LdMatrix16x8x8bOp" || leaf == "LdMatrix8x16x8bOp")
    return {100, "sm_100a", "sm_100f, sm_110f, sm_120f", "ldmatrix of 8-bit matrices"};
  return {};
}

/// What one construct demands (PTX ISA: target notes of the instructions behind it).
Demand demand_of(const Draft& draft) {
  const std::string& name = draft.construct;
  const std::string& kind = draft.fact.kind;
  if (const Demand multiply = multiply_demand(draft); multiply.level > 0) return multiply;
  if (name.starts_with("setmaxregister") || name.starts_with("warpgroup_reg"))
    return {90, "sm_90a", "sm_100a, sm_103a, sm_110a, sm_120a", "register reallocation (setmaxnreg)"};
  if (kind == evidence::kind::tma_descriptor) return {90, "sm_90", "", "TMA descriptor"};
  if (name == "tma-load" || name == "tma-store" || kind == "copy-tma" || holds(name, "bulk_tensor"))
    return {90, "sm_90", "", "TMA copy"};
  if (name.starts_with("cluster_shape") || name == "cluster-constant") return {};
  if (name.starts_with("cluster_") || name.starts_with("barrier_cluster"))
    return {90, "sm_90", "", "cluster barrier"};
  if (name.starts_with("mbarrier")) return {90, "sm_90", "", "mbarrier with transaction or parity wait"};
  if (name.starts_with("griddepcontrol")) return {90, "sm_90", "", "dependent launch (griddepcontrol)"};
  if (holds(name, "bulk")) return {90, "sm_90", "", "bulk copy group"};
  if (holds(name, "shared_remote") || name == "st_async") return {90, "sm_90", "", "remote shared memory"};
  if (kind == "elect") return {90, "sm_90", "", "one elected thread (elect.sync)"};
  if (kind == "descriptor-prefetch") return {90, "sm_90", "", "descriptor prefetch"};
  if (name == "cp-async" || name == "cp-async-atom" || name.starts_with("cp_async_"))
    return {80, "sm_80", "", "cp.async"};
  return {};
}

struct Need {
  Demand demand;
  evidence::Location at;
};

bool specific(const Demand& demand) { return std::string_view(demand.minimum).ends_with('a'); }

/// The highest demand first; of one level what needs the architecture's own features before what runs on the
/// whole generation.
bool higher(const Need& a, const Need& b) {
  if (a.demand.level != b.demand.level) return a.demand.level > b.demand.level;
  if (specific(a.demand) != specific(b.demand)) return specific(a.demand);
  return specific(a.demand) && !*a.demand.family && *b.demand.family;  // what no other chip runs
}

struct Needs {
  std::vector<Need> sure;  ///< compiled under the defaults
  std::vector<Need> open;  ///< behind a flag that is not known, or in a function that decides by its caller
};

/// Whether every call of the function around a node is behind a flag, or in a function of which that is so.
bool only_where_asked(FactContext& context, source::Node node, int depth = 0) {
  const int own = context.module().function_at(node);
  if (own < 0 || depth > 3) return false;
  bool called = false;
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (!context.evaluator.callee_function(0, site.call, &m, &f) || m != 0 || f != own) continue;
    const Activity activity = context.evaluator.active(0, site.call);
    const bool open =
        activity.state == evidence::Tristate::undetermined && holds(activity.condition, "const_expr");
    if (!open && !only_where_asked(context, site.call, depth + 1)) return false;
    called = true;
  }
  return called;
}

void add_need(FactContext& context, const Demand& demand, source::Node node, bool helper, Needs& out) {
  if (demand.level == 0) return;
  const Activity activity = context.evaluator.active(0, node);
  if (activity.state == evidence::Tristate::no) return;
  const bool before_launch = holds(activity.condition, "const_expr");
  const bool open = (activity.state == evidence::Tristate::undetermined && before_launch) ||
                    (helper && only_where_asked(context, node));
  (open ? out.open : out.sure).push_back({demand, context.at(node)});
}

Needs needs_of(FactContext& context, bool helper) {
  Needs out;
  for (const Draft& draft : context.drafts) add_need(context, demand_of(draft), draft.node, helper, out);
  for (const CallSite& site : context.calls())
    if (site.leaf.starts_with("StMatrix") || site.leaf.starts_with("LdMatrix") ||
        site.leaf.starts_with("multimem_"))
      add_need(context, copy_demand(site.leaf), site.call, helper, out);
  std::stable_sort(out.sure.begin(), out.sure.end(), higher);
  std::stable_sort(out.open.begin(), out.open.end(), higher);
  return out;
}

bool has_function(const FactContext& context, evidence::Function::Kind kind) {
  const auto& functions = context.reading.functions;
  return std::any_of(functions.begin(), functions.end(), [&](auto& f) { return f.kind == kind; });
}

/// One line for each reason, what needs most first.
void add_lines(evidence::ArchRequirement& out, const std::vector<Need>& needs) {
  for (const Need& need : needs) {
    const bool told = std::any_of(out.lines.begin(), out.lines.end(),
                                  [&](auto& line) { return line.reason == need.demand.reason; });
    if (!told) out.lines.push_back({need.at, need.demand.minimum, need.demand.reason});
  }
}
}  // namespace

void read_architecture(FactContext& context) {
  const bool kernel = has_function(context, evidence::Function::Kind::kernel);
  const Needs found = needs_of(context, !kernel);
  evidence::ArchRequirement& out = context.reading.arch;
  // In a kernel what is open may well run; of a helper a caller may leave it out.
  const std::vector<Need>& needs = found.sure.empty() && kernel ? found.open : found.sure;
  if (needs.empty()) {
    if (!kernel && !has_function(context, evidence::Function::Kind::device)) return;
    out.minimum = "sm_80";
    out.reason = found.open.empty() ? "no construct needs more than the DSL's own minimum"
                                    : "what needs more is compiled only where a caller asks for it";
    add_lines(out, found.open);
    return;
  }
  const Demand& best = needs.front().demand;
  out.minimum = best.minimum;
  out.reason = best.reason;
  if (*best.family)
    for (const auto name : split(best.family, ',')) out.family.emplace_back(trim(name));
  for (const Need& need : needs)
    if (std::string_view(need.demand.minimum) == best.minimum && out.at.size() < 4) out.at.push_back(need.at);
  add_lines(out, needs);
}

}  // namespace cutelab::reading
