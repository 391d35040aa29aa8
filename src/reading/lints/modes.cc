#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading {
namespace {
using evidence::Fact;
using evidence::ModeVerdict;
using evidence::Reading;
using evidence::Value;

/// Extents of the problem by letter, from flags: --mnkl (256, 256, 512, 1), --M 1024.
struct Extent {
  std::int64_t value = 0;
  std::string flag;
};

std::map<char, Extent> problem_of(const Reading& reading) {
  std::map<char, Extent> out;
  for (const evidence::CommandFlag& flag : reading.flags) {
    const std::string name =
        to_lower(flag.name.substr(std::min(flag.name.find_first_not_of('-'), flag.name.size())));
    if (name.empty() || name.size() > 4 || name.find_first_not_of("mnkl") != std::string::npos) continue;
    const auto numbers = lints::numbers_of(&flag.default_value);
    if (!numbers || numbers->size() != name.size()) continue;
    for (std::size_t i = 0; i < name.size(); ++i) out[name[i]] = {(*numbers)[i], flag.name};
  }
  return out;
}

/// Whether a predicate stands at a copy of this tensor: 2 it does, 1 it names no tensor, 0 it is another's.
int concerns(const Fact& predicate, const Fact& tiling) {
  const Value* tensors = lints::value_of(predicate, "tensors");
  const auto* names = tensors ? tensors->list() : nullptr;
  if (!names || names->empty()) return predicate.kind == "mask" ? 0 : 1;
  const std::string origin = lints::text_of(tiling, "origin");
  return std::any_of(
             names->begin(), names->end(),
             [&](const Value& name) { return name.text() == tiling.subject || name.text() == origin; })
             ? 2
             : 0;
}

/// What keeps accesses of a tensor inside: a predicated copy of it, else a guard of its kernel that names
/// none.
const Fact* predicate_of(const Reading& reading, const Fact& tiling) {
  const Fact* best = nullptr;
  int rank = -1;  // that it names the tensor counts before that the defaults compile it
  for (const Fact& fact : reading.facts) {
    if (fact.family != evidence::Family::B1 || fact.optional ||
        (fact.kernel != tiling.kernel && !fact.kernel.empty() && !tiling.kernel.empty()))
      continue;
    const Value* active = lints::value_of(fact, "active");
    const int one = 2 * concerns(fact, tiling) + (active && active->text() == "false" ? 0 : 1);
    if (one <= rank) continue;
    best = &fact;
    rank = one;
  }
  return best;
}

class Verdicts {
 public:
  explicit Verdicts(const Reading& reading) : reading_(reading), problem_(problem_of(reading)) {}

  std::vector<ModeVerdict> all() {
    for (const Fact& fact : reading_.facts)
      if (fact.kind == "tiling") add(fact);
    return std::move(out_);
  }

 private:
  void add(const Fact& tiling) {
    const Value* tile = lints::value_of(tiling, "tile");
    const auto* items = tile ? tile->list() : nullptr;
    if (!items && !(tile && tile->integer()))
      return push(tiling, "?", "undetermined", "its tile is not determined");
    const Value::List one = items ? *items : Value::List{*tile};
    const Value* projection = lints::value_of(tiling, "projection");
    const auto* kept = projection ? projection->list() : nullptr;
    std::size_t mode = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const bool left_out = kept && i < kept->size() && (*kept)[i].text() == "None";
      if (left_out) continue;
      if (one[i].text() != "None") add_mode(tiling, one[i], mode);
      ++mode;
    }
  }

  /// Of the tensor as the run held it, else of the problem by the mode's letter.
  std::optional<Extent> extent_of(const Fact& tiling, std::size_t mode, char letter) const {
    const auto flag = problem_.find(letter);
    const Value* seen = lints::value_of(tiling, "extents");
    const auto* items = seen ? seen->list() : nullptr;
    const auto own = items && mode < items->size() ? (*items)[mode].integer() : std::nullopt;
    // A tile's extents are not the problem's. And where the run held the tensor, an extent that it does not
    // know is none that the program's defaults tell.
    if (!own && lints::flag_of(tiling, "of_tile")) return std::nullopt;
    if (!own && items && mode < items->size()) return std::nullopt;
    if (own && (flag == problem_.end() || flag->second.value != *own))
      return Extent{*own, "extent of " + tiling.subject};
    return flag == problem_.end() ? std::nullopt : std::optional(flag->second);
  }

  void add_mode(const Fact& tiling, const Value& tile, std::size_t mode) {
    const std::string letters = lints::text_of(tiling, "modes");
    const std::string name = mode < letters.size() ? std::string(1, letters[mode]) : std::to_string(mode);
    const auto size = tile.integer();
    if (!size || *size <= 0) return push(tiling, name, "undetermined", "its tile is not determined");
    if (*size == 1) return;
    const auto extent = extent_of(tiling, mode, mode < letters.size() ? letters[mode] : '?');
    if (extent && extent->value % *size == 0)
      return push(tiling, name, "divisible",
                  fmt::format("{} = {} * {} by default ({})", extent->value, extent->value / *size, *size,
                              extent->flag));
    if (lints::flag_of(tiling, "of_tile"))
      return push(tiling, name, "undetermined",
                  extent ? fmt::format("{} does not divide the tile it cuts, {} ({})", *size, extent->value,
                                       extent->flag)
                         : fmt::format("tile {} of a tile whose extent is not determined", *size));
    const std::string rest =
        extent ? fmt::format("{} % {} = {} ({})", extent->value, *size, extent->value % *size, extent->flag)
               : fmt::format("tile {}, extent known only at run time", *size);
    const std::string tma = lints::text_of(tiling, "tma");
    if (tma == "load") return push(tiling, name, "tma-zero-fill", rest + ": TMA fills zeros beyond the edge");
    if (tma == "store") return push(tiling, name, "tma-clip", rest + ": TMA writes nothing beyond the edge");
    if (tma == "?") return push(tiling, name, "undetermined", rest + "; whether TMA moves it cannot be told");
    if (const Fact* predicate = predicate_of(reading_, tiling)) {
      const int line = predicate->at.line();
      std::string by = concerns(*predicate, tiling) == 2
                           ? fmt::format("; predicates from line {}", line)
                           : fmt::format("; predicates or guards from line {}, which name no tensor", line);
      const Value* active = lints::value_of(*predicate, "active");
      if (active && active->text() == "false") by += "; the defaults leave them out";
      return push(tiling, name, "predicated", rest + by);
    }
    push(tiling, name, "unguarded", rest + "; no predicate: right only where the tile divides the extent");
  }

  void push(const Fact& tiling, std::string mode, std::string verdict, std::string says) {
    const bool there = std::any_of(out_.begin(), out_.end(), [&](const ModeVerdict& m) {
      return m.tensor == tiling.subject && m.mode == mode && m.verdict == verdict;
    });
    if (!there)
      out_.push_back({tiling.subject, std::move(mode), std::move(verdict), std::move(says), tiling.at});
  }

  const Reading& reading_;
  std::map<char, Extent> problem_;
  std::vector<ModeVerdict> out_;
};
}  // namespace

std::vector<ModeVerdict> mode_verdicts(const Reading& reading) { return Verdicts(reading).all(); }

namespace lints {

Rule unguarded_mode() {
  return {"unguarded-mode", "a tile that sticks out of its tensor is predicated or moved by TMA",
          "predicate the copy with a comparison of coordinates, or pad the problem to whole tiles",
          evidence::Severity::error, [](Check& check) {
            for (const ModeVerdict& mode : check.reading.boundaries) {
              if (mode.verdict == "undetermined")
                check.undecided(mode.tensor + " mode " + mode.mode + ": " + mode.says, {mode.tensor},
                                mode.at);
              else if (mode.verdict == "unguarded" && mode.says.find('%') != std::string::npos)
                check.fire(fmt::format("{} mode {}: {}", mode.tensor, mode.mode, mode.says), "", {mode.at});
              else
                check.passed();
            }
          }};
}

}  // namespace lints
}  // namespace cutelab::reading
