#include <fmt/format.h>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
constexpr std::int64_t most_threads = 1024;  ///< of a CTA, on every architecture

void hold_extents(Check& check, const evidence::Fact& launch) {
  if (const std::string refused = text_of(launch, "refused"); !refused.empty())
    return check.fire(
        fmt::format("{} is launched with {}: an extent is a whole number from 1 on", launch.subject, refused),
        refused, {launch.at});
  const auto threads = number_of(launch, "threads");
  if (!threads) return check.undecided(launch, "threads");
  if (*threads > most_threads)
    return check.fire(fmt::format("{} is launched with {} threads in a CTA; no device takes more than {}",
                                  launch.subject, *threads, most_threads),
                      fmt::format("threads = {}", *threads), {launch.at});
  check.passed();
}
}  // namespace

Rule no_extent() {
  return {"no-extent",
          "grid, block, cluster and stages are whole numbers from 1 on, a CTA has at most 1024 threads",
          "work the extents out as integers, and refuse an empty problem before the launch",
          evidence::Severity::error, [](Check& check) {
            for (const evidence::Fact* launch : check.facts(evidence::kind::launch))
              if (value_of(*launch, "block") || value_of(*launch, "grid")) hold_extents(check, *launch);
            for (const evidence::Fact* pipeline : check.facts(evidence::kind::pipeline))
              if (const std::string refused = text_of(*pipeline, "refused"); !refused.empty())
                check.fire(fmt::format("{} has {}: a number of stages is a whole number", pipeline->subject,
                                       refused),
                           refused, {pipeline->at});
          }};
}

}  // namespace cutelab::reading::lints
