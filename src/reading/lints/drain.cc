#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;

std::optional<std::int64_t> cluster_ctas(const Check& check) {
  std::int64_t most = 1;
  for (const Fact* launch : check.facts(evidence::kind::launch)) {
    if (!value_of(*launch, "cluster")) continue;
    const auto shape = numbers_of(value_of(*launch, "cluster"));
    if (!shape) return std::nullopt;
    std::int64_t product = 1;
    for (const auto n : *shape) product *= n;
    most = std::max(most, product);
  }
  return most;
}

const Fact* side_of(const Check& check, const char* kind, const std::string& pipeline) {
  for (const Fact* fact : check.facts(kind))
    if (text_of(*fact, "pipeline") == pipeline) return fact;
  return nullptr;
}

/// A tail whose pipeline cannot be told may be this one's.
bool unnamed_tail(const Check& check) {
  for (const Fact* tail : check.facts(evidence::kind::tail))
    if (text_of(*tail, "pipeline").empty()) return true;
  return false;
}

void hold_ring(Check& check, const Fact& pipeline) {
  const Fact* acquire = side_of(check, evidence::kind::acquire, pipeline.subject);
  if (!acquire) return;  // a helper fills it
  if (side_of(check, evidence::kind::tail, pipeline.subject) || value_of(pipeline, "drained_by"))
    return check.passed();
  const auto ctas = cluster_ctas(check);
  if (ctas && *ctas == 1) return check.passed();
  if (!ctas) return check.undecided("whether the cluster has more than one CTA", {"cluster"}, acquire->at);
  if (unnamed_tail(check))
    return check.undecided("a tail whose pipeline cannot be told", {pipeline.subject}, acquire->at);
  check.fire(
      fmt::format("the producer of {} leaves without producer_tail(): with {} CTAs in a cluster a peer "
                  "may still arrive on its barriers",
                  pipeline.subject, *ctas),
      "", {acquire->at, pipeline.at});
}
}  // namespace

Rule missing_drain() {
  return {"missing-drain", "in a cluster a producer waits for its last stages before its CTA leaves",
          "call producer_tail() (or tail()) after the loop", evidence::Severity::warning, [](Check& check) {
            for (const Fact* pipeline : check.facts(evidence::kind::pipeline)) {
              const std::string type = text_of(*pipeline, "class");
              if (type == "PipelineTmaAsync" || type == "PipelineTmaUmma") hold_ring(check, *pipeline);
            }
          }};
}

Rule store_not_waited() {
  return {"store-not-waited", "a CTA waits for its bulk stores before it leaves",
          "commit the group and wait for it (producer_tail of PipelineTmaStore, cp_async_bulk_wait_group(0))",
          evidence::Severity::error, [](Check& check) {
            const Fact* commit = nullptr;
            bool waits = !check.facts(evidence::kind::tail).empty();
            for (const Fact* group : check.facts("copy-group")) {
              if (group->says.find("bulk") == std::string::npos &&
                  group->subject.find("bulk") == std::string::npos)
                continue;
              if (group->says.find("wait") != std::string::npos) waits = true;
              if (group->says.find("commit") != std::string::npos && !commit) commit = group;
            }
            if (!commit) return;
            if (waits) return check.passed();
            check.fire(
                "bulk stores are committed and never waited for: the CTA may leave while they still read "
                "its shared memory",
                "", {commit->at});
          }};
}

Rule unguarded_issue() {
  return {"unguarded-issue", "a loop that runs on to drain the ring issues no loads beyond the last tile",
          "issue under `if` tiles remain", evidence::Severity::error, [](Check& check) {
            for (const Fact* copy : check.facts(evidence::kind::copy)) {
              const std::string loop = text_of(*copy, "loop");
              const auto relation = loop.find('>');
              if (relation == std::string::npos) continue;
              const std::string counter(trim(loop.substr(0, relation)));
              std::string bound(trim(loop.substr(relation + 1)));
              if (bound.empty() || bound[0] != '-' || counter.empty()) continue;
              const bool load = copy->says.find("store") == std::string::npos;
              if (!load) continue;
              if (text_of(*copy, "guard").find(counter) != std::string::npos)
                check.passed();
              else
                check.fire(
                    fmt::format("the loop runs while {}, so it goes on after the last tile, and this load "
                                "does not ask whether {} > 0",
                                loop, counter),
                    "", {copy->at});
            }
          }};
}

}  // namespace cutelab::reading::lints
