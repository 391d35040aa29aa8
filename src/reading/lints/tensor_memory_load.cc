#include <fmt/format.h>

#include <cstdint>
#include <set>

#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;

/// Columns of 32 bits of the one tile that a CTA computes; none where there are several or none.
std::optional<std::int64_t> tile_columns(const Check& check) {
  std::set<std::int64_t> seen;
  for (const Fact* tile : check.facts("cta-tile"))
    if (const auto modes = numbers_of(value_of(*tile, "tile")); modes && modes->size() >= 2)
      seen.insert((*modes)[1]);
  return seen.size() == 1 ? std::optional(*seen.begin()) : std::nullopt;
}

void hold_load(Check& check, const Fact& load) {
  if (!value_of(load, "repeat") || text_of(load, "direction") != "load") return;
  const std::string repeat = text_of(load, "repeat");
  const auto times = number_of(load, "repeat");
  if (repeat.empty() && !times) return check.undecided(load, "repeat");
  if (repeat != "x1" && times != std::int64_t{1}) return check.passed();
  const auto each = number_of(load, "columns_each"), lanes = number_of(load, "lanes");
  std::string says = fmt::format("{} with repetition x1", load.subject), formula;
  if (each && lanes) {
    says += fmt::format(" brings {} of 32 bits a load",
                        *each == 1 ? "1 column" : fmt::format("{} columns", *each));
    if (const auto columns = tile_columns(check)) {
      const std::int64_t loads = (*columns + *each - 1) / *each * (32 / *lanes);
      says += fmt::format(": a tile of {} columns takes {} loads a thread", *columns, loads);
      formula = fmt::format("{} / {} * {} / {} = {}", *columns, *each, 32, *lanes, loads);
    }
  }
  check.fire(says, formula, {load.at});
}
}  // namespace

Rule narrow_tensor_memory_load() {
  return {"narrow-tensor-memory-load", "a load from tensor memory brings more than one repetition",
          "take a wider repetition (x32, x64, x128) as the registers allow: fewer loads, fewer waits",
          evidence::Severity::note, [](Check& check) {
            for (const Fact* load : check.facts("tmem-copy")) hold_load(check, *load);
          }};
}

}  // namespace cutelab::reading::lints
