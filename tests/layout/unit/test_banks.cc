#include "layout/banks.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "layout/support.h"

namespace cutelab::layout::testing {

struct Pair {
  std::string name, layout, unit, threads, kind;
  int bits = 0;
  int bytes = 0;
};

std::vector<Pair> pairs() {
  std::ifstream file(CUTELAB_SOURCE_DIR "/tests/gpu/bank_pairs.txt");
  std::vector<Pair> out;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> f;
    for (const auto field : split(line, '|')) f.emplace_back(trim(field));
    out.push_back({f[0], f[1], f[3], f[4], f[5], std::stoi(f[2]), std::stoi(f[6])});
  }
  return out;
}

AccessKind kind_of(const std::string& name) {
  if (name == "store") return AccessKind::store;
  if (name == "ldmatrix") return AccessKind::ldmatrix;
  return name == "stmatrix" ? AccessKind::stmatrix : AccessKind::load;
}

Result<WarpAccess> access_of(const Pair& pair) {
  auto layout = parse_layout(pair.layout);
  EXPECT_TRUE(layout.ok()) << pair.layout;
  return warp_access(*layout, pair.bits, pair.unit == "bytes" ? SwizzleUnit::bytes : SwizzleUnit::elements,
                     plain(pair.threads), kind_of(pair.kind), pair.bytes);
}

// The model against Nsight Compute's counters of one warp instruction each (bench/results/bank_conflicts.json
// names device, driver and compiler).
TEST(Banks, WavefrontsAndConflictsEqualTheMeasuredCounters) {
  std::ifstream file(CUTELAB_SOURCE_DIR "/bench/results/bank_conflicts.json");
  const auto stored = nlohmann::json::parse(file);
  std::map<std::string, nlohmann::json> measured;
  for (const auto& row : stored["accesses"]) measured[row["name"]] = row;
  int compared = 0;
  int conflicting = 0;
  for (const Pair& pair : pairs()) {
    auto access = access_of(pair);
    ASSERT_TRUE(access.ok()) << pair.name << ": " << access.error().wrong;
    const BankReport report = bank_conflicts(*access);
    ASSERT_EQ(measured.count(pair.name), 1u) << pair.name;
    EXPECT_EQ(report.wavefronts, measured[pair.name]["wavefronts"]) << pair.name;
    EXPECT_EQ(report.conflicts, measured[pair.name]["conflicts"]) << pair.name;
    ++compared;
    conflicting += report.conflicts > 0;
  }
  EXPECT_GE(compared, 12);
  EXPECT_GE(conflicting, 6);
  EXPECT_GE(compared - conflicting, 6);
}

// Every word that a group wants is counted once: the phases' words add up to the whole.
TEST(Banks, TotalsClose) {
  for (const Pair& pair : pairs()) {
    const BankReport report = bank_conflicts(*access_of(pair));
    int words = 0, waves = 0, threads = 0;
    for (const Phase& phase : report.phases) {
      waves += phase.wavefronts;
      threads += phase.threads;
      for (const int w : phase.words_per_bank) words += w;
    }
    EXPECT_EQ(words, report.different_words) << pair.name;
    EXPECT_EQ(waves, report.wavefronts) << pair.name;
    EXPECT_EQ(report.wavefronts, report.ideal + report.conflicts) << pair.name;
    EXPECT_EQ(threads, pair.kind.find("matrix") == std::string::npos ? 32 : 2 * pair.bytes) << pair.name;
  }
}

TEST(Banks, Sentences) {
  EXPECT_EQ(
      sentence(bank_conflicts(*access_of({"", "(32,64):(64,1)", "elements", "32:1", "ldmatrix", 16, 16}))),
      "8-way conflict: 32 wavefronts instead of 4");
  EXPECT_EQ(sentence(bank_conflicts(
                *access_of({"", "S<3,4,3> o 0 o (32,64):(64,1)", "bytes", "32:1", "ldmatrix", 16, 16}))),
            "no conflict: 4 wavefronts");
}

TEST(Banks, PreConditionsAreNamed) {
  const auto wrong = [](const Pair& pair) { return access_of(pair).error().wrong; };
  EXPECT_EQ(wrong({"", "(32,M):(M,1)", "elements", "32:1", "load", 32, 4}).substr(0, 15), "pre-condition 1");
  EXPECT_EQ(wrong({"", "(32,32):(32,1)", "elements", "12:1", "load", 32, 4}),
            "pre-condition 2: 12 threads: a warp has 32");
  EXPECT_EQ(wrong({"", "(32,32):(32,1)", "elements", "32:1", "ldmatrix", 16, 2}),
            "pre-condition 3: 2 bytes per thread: 4, 8 and 16 are possible");
  EXPECT_EQ(wrong({"", "(32,33):(33,1)", "elements", "32:1", "load", 32, 16}).substr(0, 15),
            "pre-condition 6");
}

TEST(Sectors, ContiguousAndStrided) {
  const auto sectors = [](const char* layout, int bytes) {
    return global_sectors(*access_of({"", layout, "elements", "32:1", "load", 32, bytes}));
  };
  EXPECT_EQ(sectors("32:1", 4).sectors, 4);
  EXPECT_EQ(sectors("32:1", 4).ideal, 4);
  EXPECT_EQ(sectors("32:8", 4).sectors, 32);
  EXPECT_EQ(sectors("32:8", 4).cache_lines, 8);
  EXPECT_EQ(sectors("32:0", 4).sectors, 1);
}

}  // namespace cutelab::layout::testing
