#include <fmt/format.h>

#include <algorithm>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;

bool orders_proxies(const Fact& fence) {
  return fence.says.find("proxy") != std::string::npos || fence.says.find("view_async") != std::string::npos;
}
}  // namespace

Rule store_without_fence() {
  return {"store-without-fence", "what threads wrote to shared memory is fenced before TMA stores it",
          "fence_proxy(\"async.shared\", space=\"cta\") by every writer, then a barrier, then the store",
          evidence::Severity::error, [](Check& check) {
            const auto fences = check.facts(evidence::kind::fence);
            const bool fenced =
                std::any_of(fences.begin(), fences.end(), [](auto* f) { return orders_proxies(*f); });
            for (const Fact* store : check.facts(evidence::kind::copy)) {
              const std::string operation = text_of(*store, "operation");
              if ((operation != "tma-store" && operation != "tma-reduce") || store->kernel.empty()) continue;
              const Fact* staged = nullptr;
              for (const Fact* staging : check.facts("staging"))
                if (staging->kernel == store->kernel && staging->role == store->role &&
                    staging->at.span.begin < store->at.span.begin)
                  staged = staging;
              if (!staged) continue;
              if (fenced)
                check.passed();
              else
                check.fire(
                    fmt::format("{} is written by threads and stored by TMA without a proxy fence between: "
                                "TMA may read what was there before",
                                staged->subject),
                    "", {store->at, staged->at});
            }
          }};
}

}  // namespace cutelab::reading::lints
