#include <fmt/format.h>

#include <map>
#include <set>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;

/// Loads that stand together and signal one pipeline: what one stage gets.
struct Together {
  std::set<std::string> buffers;
  Places at;
};

const Fact* buffer_named(const Check& check, const std::string& name) {
  for (const char* kind : {evidence::kind::storage_member, evidence::kind::allocation})
    for (const Fact* fact : check.facts(kind))
      if (fact->subject == name && value_of(*fact, "bytes")) return fact;
  return nullptr;
}

/// Bytes of one stage of the buffers; none (and said) where one is not determined.
std::optional<std::int64_t> stage_bytes(Check& check, const Together& loads, std::int64_t stages,
                                        std::vector<std::string>* terms) {
  std::int64_t sum = 0;
  for (const std::string& name : loads.buffers) {
    const Fact* buffer = buffer_named(check, name);
    if (!buffer) return check.undecided("the bytes of " + name, {name}, loads.at.front()), std::nullopt;
    const auto bytes = number_of(*buffer, "bytes");
    if (!bytes) return check.undecided(*buffer, "bytes"), std::nullopt;
    if (*bytes % stages != 0)
      return check.undecided(fmt::format("{} holds {} bytes, no multiple of {} stages", name, *bytes, stages),
                             {name}, buffer->at),
             std::nullopt;
    sum += *bytes / stages;
    terms->push_back(fmt::format("{} {} / {}", name, *bytes, stages));
  }
  return sum;
}

bool several_ctas_multiply(const Check& check) {
  for (const Fact* launch : check.facts(evidence::kind::launch)) {
    if (!value_of(*launch, "cluster")) continue;
    const auto shape = numbers_of(value_of(*launch, "cluster"));
    if (!shape || (!shape->empty() && (*shape)[0] > 1)) return true;
  }
  return false;
}

void hold_bytes(Check& check, const Fact& pipeline) {
  std::map<std::int64_t, Together> groups;  // by the block they stand in
  for (const Fact* copy : check.facts(evidence::kind::copy)) {
    if (text_of(*copy, "pipeline") != pipeline.subject) continue;
    const std::string buffer = text_of(*copy, "buffer");
    if (buffer.empty())
      return check.undecided("which buffer " + copy->subject + " fills", {text_of(*copy, "destination")},
                             copy->at);
    Together& group = groups[number_of(*copy, "block").value_or(0)];
    group.buffers.insert(buffer);
    group.at.push_back(copy->at);
  }
  if (groups.empty()) return;
  const auto expected = number_of(pipeline, "bytes");
  if (!expected) return check.undecided(pipeline, "bytes");
  const auto stages = number_of(pipeline, "stages");
  if (!stages || *stages <= 0) return check.undecided(pipeline, "stages");
  for (const auto& [block, loads] : groups) {
    std::vector<std::string> terms;
    const auto bytes = stage_bytes(check, loads, *stages, &terms);
    if (!bytes) return;
    if (*expected == *bytes || (*expected == 2 * *bytes && several_ctas_multiply(check))) {
      check.passed();
      continue;
    }
    Places at = {pipeline.at};
    at.insert(at.end(), loads.at.begin(), loads.at.end());
    check.fire(fmt::format(
                   "{} expects {} bytes a stage, its loads bring {}: {}", pipeline.subject, *expected, *bytes,
                   *expected > *bytes ? "the consumer waits for ever" : "the consumer reads too early"),
               fmt::format("{} = {}", fmt::join(terms, " + "), *bytes), at);
  }
}
}  // namespace

Rule transaction_bytes() {
  return {"transaction-bytes", "a stage expects as many bytes as its loads bring",
          "sum size_in_bytes of one stage over every load that signals the barrier",
          evidence::Severity::error, [](Check& check) {
            for (const Fact* pipeline : check.facts(evidence::kind::pipeline))
              if (value_of(*pipeline, "bytes")) hold_bytes(check, *pipeline);
          }};
}

}  // namespace cutelab::reading::lints
