#include "evidence/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "evidence/property/random_evidence.h"

namespace cutelab::evidence {
namespace {
using testing::RandomEvidence;

constexpr unsigned seeds = 300;

std::string error_of(const auto& result) { return result ? "" : result.error().message(); }

TEST(EvidenceJsonProperty, Post2ReadingComesBackEqual) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const Reading before = RandomEvidence(seed).reading();
    const auto after = reading_from_json(json_text(before));
    ASSERT_TRUE(after) << "seed " << seed << ": " << error_of(after);
    EXPECT_EQ(*after, before) << "seed " << seed;
  }
}

TEST(EvidenceJsonProperty, Post2RunComesBackEqual) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const evidence::Run before = RandomEvidence(seed).run();
    const auto after = run_from_json(json_text(before));
    ASSERT_TRUE(after) << "seed " << seed << ": " << error_of(after);
    EXPECT_EQ(*after, before) << "seed " << seed;
  }
}

/// The writer's bytes are the JSON library's own for the same document: indentation, order, escapes, numbers.
TEST(EvidenceJsonProperty, TheTextIsWhatTheJsonLibraryWouldWrite) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Reading reading = RandomEvidence(seed).reading();
    reading.summary += "\x01\t\n\r\b\f\"\\/\x7F\xC3\xA4\xE2\x86\x92";
    const std::string text = json_text(reading);
    EXPECT_EQ(nlohmann::ordered_json::parse(text).dump(2) + "\n", text) << "seed " << seed;
  }
}

std::set<std::string> top_level_members(const Reading& reading) {
  const auto json = nlohmann::json::parse(json_text(reading));
  std::set<std::string> names;
  for (const auto& [name, value] : json.items()) names.insert(name);
  return names;
}

TEST(EvidenceJsonProperty, Post3TopLevelMembersDoNotDependOnTheContent) {
  const auto names = top_level_members(Reading{});
  for (unsigned seed = 0; seed < 20; ++seed)
    EXPECT_EQ(top_level_members(RandomEvidence(seed).reading()), names);
}

TEST(EvidenceJsonProperty, LosingOrRetypingAnyMemberIsAnErrorOrHarmless) {
  Reading reading = RandomEvidence(7).reading();
  const auto whole = nlohmann::json::parse(json_text(reading));
  const auto flat = whole.flatten();
  int refused = 0;
  for (const auto& [pointer, value] : flat.items()) {
    nlohmann::json broken = whole;
    broken[nlohmann::json::json_pointer(pointer)] = nlohmann::json::object({{"not", "expected"}});
    if (!reading_from_json(broken.dump())) ++refused;  // must not crash; derived members may be anything
  }
  EXPECT_GT(refused, static_cast<int>(flat.size()) / 2);
}

TEST(EvidenceJsonProperty, TruncatedTextIsRefused) {
  const std::string text = json_text(RandomEvidence(3).reading());
  for (std::size_t length = 0; length + 2 < text.size(); length += 97)
    EXPECT_FALSE(reading_from_json(text.substr(0, length))) << length;
}

}  // namespace
}  // namespace cutelab::evidence
