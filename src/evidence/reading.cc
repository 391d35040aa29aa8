#include "evidence/reading.h"

#include <array>

namespace cutelab::evidence {
namespace {
struct FamilyText {
  const char* name;
  const char* title;
};
constexpr std::array<FamilyText, 14> family_texts = {{{"H1", "TMA descriptors"},
                                                      {"H2", "grid, block, cluster, launch"},
                                                      {"H3", "shared memory and stages"},
                                                      {"H4", "launch parameters"},
                                                      {"D1", "roles"},
                                                      {"D2", "pipelines"},
                                                      {"D3", "TMA and asynchronous copies"},
                                                      {"D4", "MMA"},
                                                      {"D5", "synchronisation"},
                                                      {"D6", "shared-memory layouts"},
                                                      {"E1", "epilogue"},
                                                      {"B1", "boundary handling"},
                                                      {"S1", "tile scheduling"},
                                                      {"M1", "machine code"}}};
}  // namespace

const char* name_of(Family family) { return family_texts.at(static_cast<std::size_t>(family)).name; }
const char* title_of(Family family) { return family_texts.at(static_cast<std::size_t>(family)).title; }

UndeterminedTotal undetermined_total(const Reading& reading) {
  UndeterminedTotal total;
  const auto count = [&](const std::map<std::string, Value>& values) {
    for (const auto& [name, value] : values) {
      ++total.values;
      if (!value.determined()) ++total.undetermined;
    }
  };
  for (const Fact& fact : reading.facts) {
    ++total.facts;
    count(fact.values);
  }
  for (const PatternFinding& pattern : reading.patterns) count(pattern.values);
  return total;
}

}  // namespace cutelab::evidence
