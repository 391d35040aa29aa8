#include "reading/facts/repeated_launches.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "evidence/names.h"

// One statement that the run came to several times: a loop over problems, a helper that is called twice.

namespace cutelab::reading {
namespace {
constexpr std::array<const char*, 5> quantities = {"grid", "block", "threads", "cluster", "smem_bytes"};
constexpr std::size_t most_told = 16;

/// The values of the launches, each once.
evidence::Value::List distinct(const FactContext& context, const std::vector<SeenLaunch>& launches,
                               std::string_view name) {
  evidence::Value::List out;
  for (const SeenLaunch& launch : launches) {
    evidence::Value one = given_in(context, launch, name);
    const auto same = [&](const evidence::Value& v) { return v.text() == one.text(); };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(one));
  }
  return out;
}

bool was_passed(const SeenLaunch& launch, std::string_view name) {
  const Abstract& value = name == "grid"      ? launch.grid
                          : name == "cluster" ? launch.cluster
                          : name == "smem"    ? launch.smem
                                              : launch.block;
  return !value.is(Abstract::Kind::none);
}

/// The bodies of some launches only are followed: those of the others say nothing of what they allocate.
bool counts(const SeenLaunch& launch, std::string_view name) {
  return name != "smem_bytes" || was_passed(launch, "smem") || launch.allocated;
}
}  // namespace

evidence::Value threads_of_block(const evidence::Value& block) {
  if (const auto n = block.integer()) return block;
  const auto* items = block.list();
  if (!items) return block;
  std::int64_t product = 1;
  for (const evidence::Value& item : *items) {
    const auto n = item.integer();
    if (!n) return item;
    product *= *n;
  }
  evidence::Value out = evidence::literal(product);
  out.formula = block.formula;
  out.known_by = evidence::KnownBy::computed;
  return out;
}

evidence::Value given_in(const FactContext& context, const SeenLaunch& launch, std::string_view name) {
  evidence::Value out;
  if (name == "smem_bytes" && !was_passed(launch, "smem")) {
    if (!launch.allocated)
      return evidence::undetermined("no smem= keyword: the DSL adds up the allocations when it compiles",
                                    {"shared storage"}, context.at(launch.call), "");
    out = evidence::literal(*launch.allocated);
    out.formula = evidence::kind::allocations_add_up;
    out.known_by = evidence::KnownBy::computed;
    return out;
  }
  out = context.value(name == "grid"         ? launch.grid
                      : name == "cluster"    ? launch.cluster
                      : name == "smem_bytes" ? launch.smem
                                             : launch.block,
                      launch.call);
  if (name != "smem_bytes") out.formula.clear();
  return name == "threads" ? threads_of_block(out) : out;
}

std::vector<SeenLaunch> launches_of(const std::vector<SeenLaunch>& seen, const std::string& kernel) {
  std::vector<SeenLaunch> out;
  for (const SeenLaunch& launch : seen)
    if (launch.kernel == kernel) out.push_back(launch);
  return out;
}

bool is_given_differently(const FactContext& context, const std::vector<SeenLaunch>& launches,
                          std::string_view name) {
  return distinct(context, launches, name == "smem" ? "smem_bytes" : name).size() > 1;
}

void note_repeated_launches(const FactContext& context, const std::vector<SeenLaunch>& launches,
                            evidence::Fact& fact) {
  if (launches.size() < 2) return;
  const bool sure = std::none_of(launches.begin(), launches.end(), [](auto& l) { return l.perhaps; });
  std::vector<std::string> differing;
  for (const char* name : quantities) {
    std::vector<SeenLaunch> known = launches;
    std::erase_if(known, [&](const SeenLaunch& launch) { return !counts(launch, name); });
    evidence::Value::List each = distinct(context, known, name);
    if (each.size() < 2) continue;
    differing.emplace_back(name);
    if (!sure)
      fact.values[name] = evidence::undetermined("differs between launches of which not all are sure", {},
                                                 context.at(launches.front().call), "");
    if (each.size() > most_told) {
      const std::size_t rest = each.size() - most_told;
      each.resize(most_told);
      each.push_back(evidence::literal("and " + std::to_string(rest) + " more"));
    }
    evidence::Value& told = fact.values[std::string(name) + "_by_launch"];
    told.data = std::move(each);
    told.known_by = evidence::KnownBy::computed;
  }
  if (differing.empty()) return;
  fact.values["launches"] = evidence::literal(static_cast<std::int64_t>(launches.size()));
  fact.says += ", " + std::to_string(launches.size()) + " times, with different " +
               cutelab::join(differing, ", ") +
               (sure ? ": the values are those of the first" : ": which of them are made is not known");
}

}  // namespace cutelab::reading
