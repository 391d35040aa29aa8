#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;

struct StageConstant {
  std::string name;  ///< last part: "num_stages_v"
  std::int64_t stages = 0;
};

bool names_word(std::string_view text, std::string_view word) {
  const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !inside(text[at - 1])) && (end == text.size() || !inside(text[end]))) return true;
  }
  return false;
}

std::vector<StageConstant> rings_of(const Check& check) {
  std::vector<StageConstant> out;
  for (const Fact* count : check.facts(evidence::kind::stages)) {
    const auto n = number_of(*count, flag_of(*count, "overridable") ? "used" : "stages");
    if (n && *n > 0) out.push_back({count->subject.substr(count->subject.rfind('.') + 1), *n});
  }
  return out;
}

/// Stages of the rings that a wait may be for, least and most: of those that its count names, else of all.
std::pair<std::int64_t, std::int64_t> stages_of(const std::vector<StageConstant>& rings,
                                                const std::string& formula) {
  std::pair<std::int64_t, std::int64_t> out = {0, 0};
  for (const bool by_name : {true, false}) {
    for (const StageConstant& ring : rings) {
      if (by_name && !names_word(formula, ring.name)) continue;
      out.first = out.first == 0 ? ring.stages : std::min(out.first, ring.stages);
      out.second = std::max(out.second, ring.stages);
    }
    if (out.second > 0) break;
  }
  return out;
}

/// Each place that commits may fill a ring of its own, as one for K and one for V; all of them count
/// together.
std::int64_t places_that_commit(const Check& check) {
  std::int64_t places = 0;
  for (const Fact* group : check.facts("copy-group"))
    if ((group->says.find("commit") != std::string::npos ||
         group->says.find("cp_async_fence") != std::string::npos) &&
        group->says.find("bulk") == std::string::npos)
      ++places;
  return std::max<std::int64_t>(places, 1);
}

/// Against the groups that rings of so many stages may have in flight, least and most.
void hold_against_rings(Check& check, const Fact& wait, std::int64_t pending, std::int64_t least,
                        std::int64_t most) {
  const std::int64_t places = places_that_commit(check);
  if (pending >= most * places)
    return check.fire(
        fmt::format(
            "lets {} groups stay in flight; {} of {} stages never {} more than {}: this waits for nothing",
            pending, places > 1 ? fmt::format("{} rings", places) : std::string("a ring"), most,
            places > 1 ? "have" : "has", most * places),
        fmt::format("{} >= {}", pending, most * places), {wait.at});
  if (pending < least * places) return check.passed();
  check.undecided(
      fmt::format("lets {} groups stay in flight; right for rings of {} stages, nothing is waited for "
                  "where its ring has {}",
                  pending, most, least),
      {"stages"}, wait.at);
}

void hold_wait(Check& check, const Fact& wait, const std::vector<StageConstant>& rings) {
  const auto pending = number_of(wait, "pending"), committed = number_of(wait, "committed");
  if (!pending) return check.undecided(wait, "pending");
  if (committed && *pending >= *committed)
    return check.fire(fmt::format("lets {} groups stay in flight, and no more than {} are committed ahead of "
                                  "it: this waits for nothing",
                                  *pending, *committed),
                      fmt::format("{} >= {}", *pending, *committed), {wait.at});
  const auto [least, most] = stages_of(rings, value_of(wait, "pending")->formula);
  if (most > 0) return hold_against_rings(check, wait, *pending, least, most);
  check.undecided(
      fmt::format("lets {} groups stay in flight; how many stages its ring has is not told", *pending),
      {"stages"}, wait.at);
}
}  // namespace

Rule pending_groups() {
  return {"pending-groups", "a wait for cp.async groups leaves fewer in flight than the ring has stages",
          "wait_group(stages - 2) before the first use of a stage, worked out for each ring: rings that are "
          "filled by the same threads share the groups",
          evidence::Severity::warning, [](Check& check) {
            const auto rings = rings_of(check);
            for (const Fact* wait : check.facts("copy-group"))
              if (value_of(*wait, "pending") && wait->says.find("bulk") == std::string::npos)
                hold_wait(check, *wait, rings);
          }};
}

}  // namespace cutelab::reading::lints
