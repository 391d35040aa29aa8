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

namespace {
/// Each place that commits may fill a ring of its own, as one for K and one for V.
std::int64_t places_that_commit(const Check& check) {
  std::int64_t places = 0;
  for (const Fact* group : check.facts("copy-group"))
    if ((group->says.find("commit") != std::string::npos ||
         group->says.find("cp_async_fence") != std::string::npos) &&
        group->says.find("bulk") == std::string::npos)
      ++places;
  return std::max<std::int64_t>(places, 1);
}
}  // namespace

Rule pending_groups() {
  return {"pending-groups", "a wait for cp.async groups leaves fewer in flight than the ring has stages",
          "wait_group(stages - 2) before the first use of a stage, once for each ring",
          evidence::Severity::warning, [](Check& check) {
            std::optional<std::int64_t> stages;
            for (const Fact* count : check.facts(evidence::kind::stages)) {
              const auto n = number_of(*count, flag_of(*count, "overridable") ? "used" : "stages");
              if (n && *n > 0) stages = std::max(stages.value_or(0), *n);
            }
            const std::int64_t committers = places_that_commit(check);
            for (const Fact* wait : check.facts("copy-group")) {
              if (!value_of(*wait, "pending") || wait->says.find("bulk") != std::string::npos) continue;
              const auto pending = number_of(*wait, "pending");
              if (!pending)
                check.undecided(*wait, "pending");
              else if (!stages)
                check.undecided(
                    fmt::format("lets {} groups stay in flight; how many stages its ring has is not told",
                                *pending),
                    {"stages"}, wait->at);
              else if (*pending >= *stages * committers)
                check.fire(
                    fmt::format("lets {} groups stay in flight; {} of {} stages never {} more than {}: "
                                "this waits for nothing",
                                *pending,
                                committers > 1 ? fmt::format("{} rings", committers) : std::string("a ring"),
                                *stages, committers > 1 ? "have" : "has", *stages * committers),
                    fmt::format("{} >= {}", *pending, *stages * committers), {wait->at});
              else
                check.passed();
            }
          }};
}

}  // namespace cutelab::reading::lints
