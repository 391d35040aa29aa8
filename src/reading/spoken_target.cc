#include "reading/spoken_target.h"

#include <algorithm>
#include <array>

namespace cutelab::reading {
namespace {
/// Targets that a name speaks of, in the order in which they count: one bit each.
constexpr unsigned sm80 = 1, sm90 = 2, sm100 = 4, sm120 = 8, sm103 = 16;

/// Of "SM90", "sm_90" written together, at the front of `rest`.
unsigned spoken_number(std::string_view rest) {
  if (!rest.starts_with("SM") && !rest.starts_with("sm") && !rest.starts_with("Sm")) return 0;
  rest.remove_prefix(2);
  return rest.starts_with("90")    ? sm90
         : rest.starts_with("80")  ? sm80
         : rest.starts_with("100") ? sm100
         : rest.starts_with("103") ? sm103
         : rest.starts_with("120") ? sm120
                                   : 0;
}

/// Letters without which a name speaks of nothing: each number has a zero, and the words below have a T, a W
/// or a p. Most names have none of them.
constexpr auto telling_letters = [] {
  std::array<bool, 256> letters{};
  for (const char c : {'0', 'T', 'W', 'p'}) letters[static_cast<unsigned char>(c)] = true;
  return letters;
}();

bool may_speak(std::string_view name) {
  bool may = false;
  for (std::size_t i = 0; i < name.size() && !may; ++i)
    may = telling_letters[static_cast<unsigned char>(name[i])] &&
          (name[i] != 'p' || name.substr(i).starts_with("pper") || name.substr(i).starts_with("pere"));
  return may;
}

unsigned spoken_targets(std::string_view name) {
  if (name == "warpgroup") return sm90;
  if (name == "CopyG2SOp") return sm80;
  if (!may_speak(name)) return 0;
  unsigned found = name == "tcgen05" ? sm100 : 0;
  for (std::size_t i = 0; i + 4 <= name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    switch (rest[0]) {
      case 'S':
      case 's':
        found |= spoken_number(rest);
        break;
      case 'T':
        if (rest.starts_with("Tmem")) found |= sm100;
        break;
      case 'H':
      case 'h':
        if (rest.substr(1).starts_with("opper")) found |= sm90;
        break;
      case 'W':
        if (rest.starts_with("Wgmma")) found |= sm90;
        break;
      case 'A':
      case 'a':
        if (rest.substr(1).starts_with("mpere")) found |= sm80;
        break;
      default:
        break;
    }
  }
  return found;
}
}  // namespace

std::string spoken_target(const source::PythonModule& module) {
  int level = 0;
  for (const source::Node n : module.tree().all(source::Kind::identifier)) {
    const std::string_view name = n.text();
    if (name.size() < 4) continue;
    const unsigned found = spoken_targets(name);
    if (found == 0) continue;
    const int speaks = found & sm103   ? 103
                       : found & sm120 ? 120
                       : found & sm100 ? 100
                       : found & sm90  ? 90
                                       : 80;
    level = std::max(level, speaks);
  }
  switch (level) {
    case 80:
      return "sm_80";
    case 90:
      return "sm_90a";
    case 103:
      return "sm_103a";
    case 120:
      return "sm_120a";
    default:
      return "sm_100a";
  }
}

}  // namespace cutelab::reading
