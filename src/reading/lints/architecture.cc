#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
struct Target {
  std::int64_t number = 0;  ///< 90
  std::string suffix;       ///< "a", "f" or ""
};

std::optional<Target> parse(const std::string& arch) {
  if (!arch.starts_with("sm_")) return std::nullopt;
  const auto end = arch.find_first_not_of("0123456789", 3);
  const auto number = parse_integer(arch.substr(3, end == std::string::npos ? end : end - 3));
  if (!number) return std::nullopt;
  return Target{*number, end == std::string::npos ? "" : arch.substr(end)};
}

bool accepted(const evidence::ArchRequirement& need, const std::string& asked) {
  return std::any_of(need.family.begin(), need.family.end(), [&](const std::string& name) {
    return name == asked || name + "a" == asked || name == asked + "a" || name + "f" == asked;
  });
}

/// Chips that have the instructions of an architecture-specific target: wgmma is Hopper's alone, tcgen05 is
/// on 10x and 11x, never on 12x.
bool same_kind(std::int64_t need, std::int64_t asked) {
  if (need >= 100 && need < 120) return asked >= 100 && asked < 120;
  if (need >= 120) return asked >= 120;
  return need == asked;
}

void hold_target(Check& check) {
  const auto& need = check.reading.arch;
  if (check.target.arch.empty() || need.minimum.empty()) return;
  const auto least = parse(need.minimum), asked = parse(check.target.arch);
  if (!least || !asked) return check.undecided("the target's name", {check.target.arch}, {});
  const auto say = [&](const std::string& why) {
    check.fire(fmt::format("{}: needs {}; {}", need.reason, need.minimum, why), "", need.at);
  };
  if (least->suffix.empty())
    return asked->number >= least->number ? check.passed()
                                          : say(fmt::format("{} is older", check.target.arch));
  if (!same_kind(least->number, asked->number) && !accepted(need, check.target.arch))
    return say(fmt::format("{} has no such instruction, code with the suffix a runs on no other chip",
                           check.target.arch));
  if (asked->suffix.empty())
    return say(fmt::format("compile for {}a: without the suffix the compiler refuses the instruction",
                           check.target.arch));
  check.passed();
}
}  // namespace

Rule architecture() {
  return {"architecture", "the target has the instructions that the source uses",
          "take an example for that architecture: cutelab select names those that run there",
          evidence::Severity::error, hold_target};
}

}  // namespace cutelab::reading::lints
