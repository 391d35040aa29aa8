#include <algorithm>
#include <vector>

#include "evidence/names.h"
#include "reading/facts/context.h"

// Which fences order what threads wrote to shared memory before TMA stores it: those that a TMA store
// follows, with no other work between.

namespace cutelab::reading {
using evidence::Family;
namespace {

bool orders_proxies(const Draft& fence) {
  if (fence.fact.family != Family::D5 || fence.fact.kind != evidence::kind::fence) return false;
  return fence.fact.says.find("proxy") != std::string::npos ||
         fence.construct.find("view_async_shared") != std::string::npos;
}

bool stores_by_tma(const Draft& d) {
  for (const char* name : {"operation", "type"}) {
    const auto value = d.fact.values.find(name);
    if (value == d.fact.values.end()) continue;
    const std::string text = value->second.text();
    if (text == "tma-store" || text == "tma-reduce" || text == "smem_tma_store") return true;
  }
  return d.construct == "tma-store";
}

/// Work that a fence may stand before: copies, multiplies, stages handed on.
bool is_work(const Draft& d) {
  const std::string& kind = d.fact.kind;
  if (d.fact.family == Family::E1) return kind == "store" || kind == "staging" || stores_by_tma(d);
  return (kind == evidence::kind::copy && d.construct != "cp-async-atom") || kind == evidence::kind::gemm ||
         kind == evidence::kind::commit || kind == evidence::kind::release || kind == evidence::kind::wait;
}
}  // namespace

void extract_store_fences(FactContext& context) {
  if (std::none_of(context.drafts.begin(), context.drafts.end(), orders_proxies)) return;
  std::vector<const Draft*> work;
  for (const Draft& d : context.drafts)
    if (d.node && is_work(d)) work.push_back(&d);
  std::stable_sort(work.begin(), work.end(),
                   [](auto* a, auto* b) { return a->node.index() < b->node.index(); });
  for (Draft& fence : context.drafts) {
    if (!orders_proxies(fence)) continue;
    const auto next = std::find_if(work.begin(), work.end(), [&](const Draft* d) {
      return d->node.index() > fence.node.index() &&
             context.module().function_at(d->node) == context.module().function_at(fence.node);
    });
    if (next == work.end()) continue;
    // Two facts may stand on one statement: a copy, and the store that it is.
    const bool store = std::any_of(next, work.end(), [&](const Draft* d) {
      return d->node.index() == (*next)->node.index() && stores_by_tma(*d);
    });
    if (store) fence.fact.values["orders"] = evidence::literal("tma-store");
  }
}

}  // namespace cutelab::reading
