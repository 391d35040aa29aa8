#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;

/// Threads of one role that run a release; the CTA's where the release stands in no role.
struct Releasers {
  std::int64_t threads = 0;
  bool one_of_each_warp = false;
  const Fact* at = nullptr;
};

std::optional<std::int64_t> cta_threads(const Check& check) {
  std::set<std::int64_t> seen;
  for (const Fact* launch : check.facts(evidence::kind::launch)) {
    const auto n = number_of(*launch, "threads");
    if (!n) return std::nullopt;
    seen.insert(*n);
  }
  return seen.size() == 1 ? std::optional(*seen.begin()) : std::nullopt;
}

/// CTAs of the cluster that share a tile with one CTA: its row and its column.
std::optional<std::int64_t> multicast_partners(const Check& check) {
  std::optional<std::int64_t> found;
  for (const Fact* launch : check.facts(evidence::kind::launch)) {
    std::int64_t partners = 1;
    if (value_of(*launch, "cluster")) {
      const auto shape = numbers_of(value_of(*launch, "cluster"));
      if (!shape) return std::nullopt;
      if (shape->size() >= 2) partners = (*shape)[0] + (*shape)[1] - 1;
    }
    if (found && *found != partners) return std::nullopt;
    found = partners;
  }
  return found;
}

/// Who releases a pipeline, one entry for each role; none (and said) where that cannot be told.
std::optional<std::map<std::string, Releasers>> releasers(Check& check, const Fact& pipeline) {
  std::map<std::string, Releasers> out;
  for (const Fact* release : check.facts(evidence::kind::release)) {
    const std::string of = text_of(*release, "pipeline");
    if (of.empty()) {
      check.undecided(release->subject + " releases a pipeline that cannot be told", {release->subject},
                      release->at);
      return std::nullopt;
    }
    if (of != pipeline.subject) continue;
    const std::string who = text_of(*release, "arrives");
    if (who.empty()) return check.undecided(*release, "arrives"), std::nullopt;
    const Fact* role = check.role_block(*release);
    const auto threads = role                    ? number_of(*role, "threads")
                         : release->role.empty() ? cta_threads(check)
                                                 : std::nullopt;
    if (!threads || release->kernel.empty()) {
      check.undecided("how many threads run " + release->subject + ".release", {release->role}, release->at);
      return std::nullopt;
    }
    Releasers& entry = out[release->role];
    if (entry.at && entry.one_of_each_warp != (who != "every thread")) {
      check.undecided("releases of one role by threads and by warps", {release->subject}, release->at);
      return std::nullopt;
    }
    entry = {std::max(entry.threads, *threads), who != "every thread", release};
  }
  return out;
}

/// Arrivals that make sense: of all roles together, of each alone, and, where a role spans several
/// warpgroups that take turns, of one of them.
std::set<std::int64_t> sensible(const std::map<std::string, Releasers>& roles, bool by_warp,
                                std::int64_t factor) {
  std::set<std::int64_t> out;
  std::int64_t sum = 0;
  for (const auto& [name, role] : roles) {
    const std::int64_t unit = by_warp || role.one_of_each_warp ? 32 : 1;
    for (std::int64_t part = role.threads; part >= 32; part = part % 256 == 0 ? part / 2 : 0)
      out.insert(part / unit * factor);
    sum += role.threads / unit * factor;
  }
  out.insert(sum);
  return out;
}

std::string arithmetic(const std::map<std::string, Releasers>& roles, bool by_warp, std::int64_t factor) {
  std::vector<std::string> terms;
  for (const auto& [name, role] : roles) {
    const std::string who = name.empty() ? "CTA" : name;
    const bool warps = by_warp || role.one_of_each_warp;
    terms.push_back(fmt::format("{} {} of {}", warps ? role.threads / 32 : role.threads,
                                warps ? "warps" : "threads", who));
  }
  return fmt::format("{}{}", fmt::join(terms, " + "), factor == 1 ? "" : fmt::format(", times {}", factor));
}

void hold_arrivals(Check& check, const Fact& pipeline) {
  const std::string type = text_of(pipeline, "class");
  const bool by_warp = type == "PipelineTmaAsync";
  if (!by_warp && type != "PipelineUmmaAsync" && type != "PipelineAsync") return;
  if (!value_of(pipeline, "consumer_arrivals") || flag_of(pipeline, "enable_multicast_signaling") ||
      value_of(pipeline, "mcast_mode_mn"))
    return;
  if (value_of(pipeline, "tidx"))  // the caller decides which threads signal
    return check.undecided(pipeline.subject + ": tidx= decides which threads arrive", {"tidx"}, pipeline.at);
  const auto given = number_of(pipeline, "consumer_arrivals");
  if (!given) return check.undecided(pipeline, "consumer_arrivals");
  const auto partners = multicast_partners(check);
  if (!partners) return check.undecided("the cluster", {pipeline.subject}, pipeline.at);
  const auto roles = releasers(check, pipeline);
  if (!roles) return;
  if (roles->empty())
    return check.undecided("nobody here releases " + pipeline.subject + ": a helper does", {pipeline.subject},
                           pipeline.at);
  std::set<std::int64_t> right = sensible(*roles, by_warp, by_warp ? *partners : 1);
  // A pair of CTAs that multiply together both release to the leader.
  if (!by_warp && *partners > 1) right.merge(sensible(*roles, by_warp, 2));
  if (right.count(*given)) return check.passed();
  Places at = {pipeline.at};
  for (const auto& [name, role] : *roles) at.push_back(role.at->at);
  check.fire(fmt::format("the empty barriers of {} expect {} arrivals, {} arrive", pipeline.subject, *given,
                         arithmetic(*roles, by_warp, by_warp ? *partners : 1)),
             fmt::format("{} is none of {}", *given, fmt::join(right, ", ")), at);
}
}  // namespace

Rule arrival_count() {
  return {"arrival-count", "a pipeline's consumer group counts those who arrive when a stage is released",
          "PipelineTmaAsync: one arrival a warp for each CTA that shares the tile; PipelineAsync and "
          "PipelineUmmaAsync: one a thread that calls release",
          evidence::Severity::error, [](Check& check) {
            for (const Fact* pipeline : check.facts(evidence::kind::pipeline))
              hold_arrivals(check, *pipeline);
          }};
}

}  // namespace cutelab::reading::lints
