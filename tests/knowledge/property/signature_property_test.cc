#include <gtest/gtest.h>

#include <random>

#include "knowledge/knowledge_fixture.h"
#include "knowledge/signature.h"

namespace cutelab::knowledge {
namespace {
using evidence::Family;
using evidence::Reading;
using evidence::Tristate;

struct Dice {
  std::mt19937 engine;
  int up_to(int n) { return std::uniform_int_distribution<int>(0, n)(engine); }
};

std::string random_term(Dice& dice, int depth) {
  if (depth > 0 && dice.up_to(2) > 0) {
    const char* words[] = {"all", "any", "none"};
    std::string out = std::string("{") + words[dice.up_to(2)] + ": [" + random_term(dice, depth - 1);
    for (int i = dice.up_to(2); i > 0; --i) out += ", " + random_term(dice, depth - 1);
    return out + "]}";
  }
  const char* relation[] = {"", "> ", "< ", ">= ", "<= ", "!= "};
  const std::string value =
      "\"" + std::string(relation[dice.up_to(5)]) + std::to_string(dice.up_to(3)) + "\"";
  switch (dice.up_to(2)) {
    case 0:
      return "{pattern: {id: P" + std::to_string(1 + dice.up_to(9)) + ", active: true}}";
    case 1:
      return "{fact: {family: D2, stages: " + value + "}}";
    default:
      return "{fact: {family: D1, warps: " + value + ", count: \">= " + std::to_string(dice.up_to(2)) +
             "\"}}";
  }
}

/// A reading in which some values are open.
Reading random_reading(Dice& dice) {
  Reading r = small_reading();
  r.facts.clear();
  for (int i = dice.up_to(3); i >= 0; --i) {
    const auto value = [&] {
      return dice.up_to(2) == 0 ? evidence::undetermined("open", {"x"}, at_line(1), "x")
                                : evidence::literal(std::int64_t{dice.up_to(3)});
    };
    r.facts.push_back(fact(Family::D2, "pipeline", "p", 1 + i, {{"stages", value()}}));
    r.facts.push_back(fact(Family::D1, "role", "r", 10 + i, {{"warps", value()}}));
  }
  for (auto& finding : r.patterns) finding.default_active = static_cast<Tristate>(dice.up_to(2));
  return r;
}

/// The same reading with every open value filled in some way.
Reading filled(Reading r, Dice& dice) {
  for (auto& one : r.facts)
    for (auto& [name, value] : one.values)
      if (!value.determined()) value = evidence::literal(std::int64_t{dice.up_to(3)});
  for (auto& finding : r.patterns)
    if (finding.default_active == Tristate::undetermined)
      finding.default_active = dice.up_to(1) ? Tristate::yes : Tristate::no;
  return r;
}

TEST(SignatureProperty, Post1YesAndNoHoldWhateverTheOpenValuesTurnOutToBe) {
  Dice dice{std::mt19937(7)};
  int decided = 0, open = 0;
  for (int round = 0; round < 2000; ++round) {
    const Signature s = signature(random_term(dice, 3));
    const Reading r = random_reading(dice);
    const Tristate verdict = match(s, r).verdict;
    ++(verdict == Tristate::undetermined ? open : decided);
    for (int fill = 0; fill < 3; ++fill) {
      const Tristate later = match(s, filled(r, dice)).verdict;
      EXPECT_NE(later, Tristate::undetermined) << s.spelled();
      if (verdict != Tristate::undetermined) {
        EXPECT_EQ(later, verdict) << s.spelled();
      }
    }
  }
  EXPECT_GT(decided, 100);
  EXPECT_GT(open, 100);
}

TEST(SignatureProperty, SpelledParsesBackToTheSame) {
  Dice dice{std::mt19937(11)};
  for (int round = 0; round < 2000; ++round) {
    const Signature s = signature(random_term(dice, 3));
    const std::string once = s.spelled();
    EXPECT_EQ(signature(once).spelled(), once);
    const Reading r = random_reading(dice);
    EXPECT_EQ(match(signature(once), r).verdict, match(s, r).verdict) << once;
  }
}

TEST(SignatureProperty, AnyBytesAsAScalarComeBack) {
  Dice dice{std::mt19937(13)};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = dice.up_to(12); i > 0; --i) text += static_cast<char>(1 + dice.up_to(125));
    const auto yaml = parse_yaml("key: " + yaml_scalar(text), "x.md", 1);
    ASSERT_TRUE(yaml.ok()) << yaml_scalar(text) << yaml.error().message();
    EXPECT_EQ(yaml->find("key")->scalar, text) << yaml_scalar(text);
  }
}

}  // namespace
}  // namespace cutelab::knowledge
