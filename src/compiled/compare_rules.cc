#include "compiled/compare_rules.h"

#include "evidence/names.h"

namespace cutelab::compiled {
namespace kind = evidence::kind;

const std::set<std::string>& compiled_kinds() {
  static const std::set<std::string> kinds = {
      kind::tma_descriptor, kind::launch,         kind::storage,
      kind::storage_member, kind::allocation,     kind::register_budget,
      kind::pipeline,       kind::acquire,        kind::commit,
      kind::wait,           kind::release,        kind::tail,
      kind::copy,           "copy-group",         kind::mma,
      kind::gemm,           kind::multicast_mask, "pipelined-loop",
      "accumulator",        "mma-field",          "wgmma-fence",
      "wgmma-commit",       "wgmma-wait",         kind::tensor_memory_allocation,
      "tmem-release",       kind::barrier,        kind::fence,
      kind::shared_layout,  "swizzle-applied"};
  return kinds;
}

const std::set<std::string>& comparable_values() {
  static const std::set<std::string> names = {
      "direction", "operation",         "multicast",         "multicast_degree", "block",
      "grid",      "cluster",           "threads",           "smem_bytes",       "bytes",
      "offset",    "alignment",         "registers",         "action",           "class",
      "stages",    "producer_arrivals", "consumer_arrivals", "pending",          "family",
      "shape",     "accumulator",       "columns",           "prefetch_stages",  "id",
      "layout"};
  return names;
}

bool related(const std::string& source, const std::string& compiled) {
  static const std::set<std::string> synchronisation = {
      kind::barrier, kind::fence, "mbarrier",      kind::acquire, kind::wait, kind::release,
      kind::commit,  kind::tail,  "pipeline-peek", "mma-commit",  "tmem-wait"};
  static const std::set<std::string> layouts = {kind::shared_layout, "swizzle-applied", "shared-view",
                                                "alias", "storage-access"};
  return (synchronisation.contains(source) && synchronisation.contains(compiled)) ||
         (layouts.contains(source) && layouts.contains(compiled));
}

}  // namespace cutelab::compiled
