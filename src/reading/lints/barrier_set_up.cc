#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "evidence/names.h"
#include "reading/lints/rule.h"

// What a load by hand-written mbarriers needs besides the right bytes: barriers that the async proxy sees
// before the first copy, somebody who waits for each, and a first wait for the phase that comes first.

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;

struct RawBarrier {
  const Fact* init = nullptr;
  const Fact* completed = nullptr;  ///< an arrival, or bytes expected
  std::vector<const Fact*> waits;
  bool filled_by_copies = false;
};

struct RawBarriers {
  std::map<std::string, RawBarrier> by_name;
  const Fact* foreign_wait = nullptr;  ///< a wait for a barrier that is set up under another name
};

RawBarriers raw_barriers(const Check& check) {
  RawBarriers out;
  const auto facts = check.facts(evidence::kind::barrier);
  for (const Fact* fact : facts)
    if (text_of(*fact, "use") == "init" && !out.by_name[fact->subject].init)
      out.by_name[fact->subject].init = fact;
  for (const Fact* fact : facts) {
    const std::string use = text_of(*fact, "use");
    const auto known = out.by_name.find(fact->subject);
    if (known == out.by_name.end()) {
      if (use == "wait") out.foreign_wait = fact;
      continue;
    }
    if (use == "wait") known->second.waits.push_back(fact);
    if ((use == "arrive" || use == "expect") && !known->second.completed) known->second.completed = fact;
    known->second.filled_by_copies = known->second.filled_by_copies || use == "expect";
  }
  return out;
}

bool loads_by_bulk_copy(const Fact& copy) {
  const std::string operation = text_of(copy, "operation");
  return operation == "tma-load" || operation == "bulk-load";
}

/// Fences that the set-up of barriers has; a pipeline of the library and a cluster barrier bring their own.
bool makes_barriers_visible(const Check& check) {
  const auto fences = check.facts(evidence::kind::fence);
  const auto barriers = check.facts(evidence::kind::barrier);
  const auto pipelines = check.facts(evidence::kind::pipeline);
  const auto of_cluster = [](const Fact* f) {
    return f->says.find("cluster") != std::string::npos || f->subject.find("cluster") != std::string::npos;
  };
  return !fences.empty() || std::any_of(barriers.begin(), barriers.end(), of_cluster) ||
         std::any_of(pipelines.begin(), pipelines.end(),
                     [](const Fact* f) { return text_of(*f, "class").starts_with("Pipeline"); });
}

void hold_fence(Check& check) {
  const RawBarriers barriers = raw_barriers(check);
  const auto copies = check.facts(evidence::kind::copy);
  const auto load =
      std::find_if(copies.begin(), copies.end(), [](auto* f) { return loads_by_bulk_copy(*f); });
  if (barriers.by_name.empty() || load == copies.end()) return;
  if (makes_barriers_visible(check)) return check.passed();
  for (const auto& [name, barrier] : barriers.by_name)
    check.fire(fmt::format("{} is initialised and no fence follows: the copies that arrive on it may not see "
                           "it yet",
                           name),
               "", {barrier.init->at, (*load)->at});
}

void hold_waits(Check& check) {
  const RawBarriers barriers = raw_barriers(check);
  for (const auto& [name, barrier] : barriers.by_name) {
    if (!barrier.completed) continue;
    if (!barrier.waits.empty())
      check.passed();
    else if (barriers.foreign_wait || value_of(*barrier.init, "passed_on"))
      check.undecided("who waits for " + name + ": it goes by another name where a function has it", {name},
                      barrier.init->at);
    else
      check.fire(fmt::format("{} completes and nobody waits for it: whoever reads what it guards reads too "
                             "early",
                             name),
                 "", {barrier.completed->at, barrier.init->at});
  }
}

void hold_parity(Check& check) {
  for (const auto& [name, barrier] : raw_barriers(check).by_name) {
    if (!barrier.filled_by_copies || barrier.waits.empty()) continue;
    const Fact* open = nullptr;
    bool first_phase = false;
    for (const Fact* wait : barrier.waits) {
      const auto parity = number_of(*wait, "parity");
      first_phase = first_phase || parity == std::int64_t{0};
      if (!parity) open = wait;
    }
    if (first_phase)
      check.passed();
    else if (open)
      check.undecided(*open, "parity");
    else
      check.fire(fmt::format("every wait for {} is for parity 1: a fresh barrier's first phase has parity 0, "
                             "so this returns before the copies are done",
                             name),
                 "", {barrier.waits.front()->at, barrier.init->at});
  }
}
}  // namespace

Rule barrier_fence() {
  return {"barrier-init-unfenced", "mbarriers are made visible to the copies that arrive on them",
          "mbarrier_init_fence() behind the initialisation, then a barrier of the CTA (of the cluster where "
          "other CTAs arrive)",
          evidence::Severity::error, hold_fence};
}

Rule barrier_never_waited() {
  return {"barrier-never-waited", "every mbarrier that completes has somebody who waits for it",
          "wait for its phase on the consuming side, in the CTA that consumes; compute-sanitizer --tool "
          "synccheck finds a missing wait at run time",
          evidence::Severity::warning, hold_waits};
}

Rule first_wait_parity() {
  return {"first-wait-parity", "the first wait for copies is for the phase of parity 0",
          "start with parity 0 and flip it after each wait", evidence::Severity::error, hold_parity};
}

}  // namespace cutelab::reading::lints
