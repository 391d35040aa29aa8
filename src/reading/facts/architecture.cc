#include <algorithm>

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

/// What one construct demands (PTX ISA: target notes of the instructions behind it).
Demand demand_of(const Draft& draft) {
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
  if (mma && (holds(path, "warpgroup") || holds(path, "hopper_helpers") || holds(path, "sm90")))
    return {90, "sm_90a", "", "wgmma"};
  if (name.starts_with("wgmma")) return {90, "sm_90a", "", "wgmma"};
  if (name.starts_with("setmaxregister") || name.starts_with("warpgroup_reg"))
    return {90, "sm_90a", "", "register reallocation"};
  if (kind == evidence::kind::tma_descriptor || name == "tma-load" || name == "tma-store" ||
      kind == "copy-tma")
    return {90, "sm_90", "", "TMA"};
  if (name.starts_with("cluster_") || name.starts_with("barrier_cluster") || name.starts_with("mbarrier") ||
      name.starts_with("griddepcontrol") || holds(name, "bulk"))
    return {90, "sm_90", "", "clusters, mbarriers or bulk copies"};
  if (name == "cp-async" || name == "cp-async-atom" || name.starts_with("cp_async_"))
    return {80, "sm_80", "", "cp.async"};
  if (mma && holds(path, "nvgpu.warp.")) return {80, "sm_80", "", "mma.sync"};
  return {};
}
}  // namespace

void read_architecture(FactContext& context) {
  Demand best;
  std::vector<const Draft*> deciding;
  for (const Draft& draft : context.drafts) {
    const Demand demand = demand_of(draft);
    if (demand.level == 0 || demand.level < best.level) continue;
    // What a branch of the file's own configuration leaves out does not decide; what only some warps run
    // does.
    if (demand.level <= 90 && std::string_view(demand.minimum) == "sm_90" && demand.reason[0] == 'c' &&
        context.evaluator.active(0, draft.node).state != evidence::Tristate::yes)
      continue;
    if (demand.level > best.level) {
      best = demand;
      deciding.clear();
    }
    if (std::string_view(demand.minimum).ends_with('a')) best.minimum = demand.minimum;
    deciding.push_back(&draft);
  }
  evidence::ArchRequirement& out = context.reading.arch;
  bool kernel = false;
  for (const auto& f : context.reading.functions)
    kernel = kernel || f.kind == evidence::Function::Kind::kernel;
  if (best.level == 0) {
    if (kernel) {
      out.minimum = "sm_80";
      out.reason = "no construct needs more than the DSL's own minimum";
    }
    return;
  }
  out.minimum = best.minimum;
  out.reason = best.reason;
  if (*best.family) out.family.push_back(best.family);
  for (const Draft* draft : deciding)
    if (out.at.size() < 4) out.at.push_back(draft->fact.at);
}

}  // namespace cutelab::reading
