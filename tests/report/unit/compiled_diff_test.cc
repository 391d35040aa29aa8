#include "report/compiled_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/header_sample.h"

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Family;
using Change = CompiledDifference::Change;
using Values = std::map<std::string, evidence::Value>;

evidence::Value number(std::int64_t n) { return evidence::literal(n); }

Fact made(Family family, const char* kind, const char* subject, std::uint32_t line, Values values) {
  Fact fact;
  fact.family = family;
  fact.kind = kind;
  fact.subject = subject;
  fact.at.span.line = fact.at.span.end_line = line;
  fact.values = std::move(values);
  return fact;
}

CompiledSide first() {
  CompiledSide side;
  side.files = {{"k/gemm.py", "aa", 90}};
  side.arch = "sm_90a";
  side.compiler = "CuTe DSL 4.7.0";
  side.facts = {made(Family::M1, "machine-code", "gemm", 12,
                     {{"registers", number(168)}, {"instructions", number(700)}}),
                made(Family::D2, "pipeline", "mainloop", 22,
                     {{"stages", number(7)}, {"inside", evidence::literal("for 3")}}),
                made(Family::D5, "barrier", "", 44, {{"id", number(1)}, {"threads", number(128)}}),
                made(Family::D3, "copy", "sA", 50, {{"bytes", number(64)}})};
  return side;
}

CompiledSide second() {
  CompiledSide side = first();
  side.compiler = "CuTe DSL 4.8.1";
  side.facts = {made(Family::M1, "machine-code", "gemm", 12,
                     {{"registers", number(160)}, {"instructions", number(712)}}),
                made(Family::D2, "pipeline", "mainloop", 22,
                     {{"stages", number(6)}, {"inside", evidence::literal("for 9")}}),
                made(Family::D5, "fence", "", 41, {{"proxy", evidence::literal("async.shared")}}),
                made(Family::D3, "copy", "sA", 50, {{"bytes", number(64)}})};
  return side;
}

TEST(CompiledDiff, Post1NothingDiffersFromItself) {
  EXPECT_TRUE(compiled_differences(first(), first()).empty());
  EXPECT_NE(
      compiled_diff(first(), first(), ViewOptions(), false).find("nothing that the compiler states differs"),
      std::string::npos);
}

// P25: a register budget that fitted one compiler spills with the next.
TEST(CompiledDiff, SpillsThatAnotherCompilerBroughtStandBelowTheHeadline) {
  CompiledSide left = first(), right = second();
  EXPECT_EQ(compiled_diff(left, right, ViewOptions(), false).find("spills"), std::string::npos)
      << "registers alone are no spills";
  left.facts[0].values["stack_bytes"] = number(0);
  right.facts[0].values["stack_bytes"] = number(112);
  right.facts[0].values["local_loads"] = number(31);
  right.facts[0].values["local_stores"] = number(29);
  EXPECT_NE(
      compiled_diff(left, right, ViewOptions(), false)
          .find("\ngemm: spills (local loads) 0 -> 31, spills (local stores) 0 -> 29, stack 0 -> 112 B, "
                "registers 168 -> 160\n"),
      std::string::npos)
      << compiled_diff(left, right, ViewOptions(), false);
  EXPECT_NE(compiled_diff(right, left, ViewOptions(), false).find("spills (local loads) 31 -> 0"),
            std::string::npos);
}

TEST(CompiledDiff, Post2WhatIsKnownAtRunTimeMakesNoDifference) {
  CompiledSide left = first(), right = first();
  right.facts[1].values["stages"] = evidence::undetermined("known only at run time", {}, {}, "");
  EXPECT_TRUE(compiled_differences(left, right).empty());
  right.facts[1].values["stages"] = number(5);
  EXPECT_EQ(compiled_differences(left, right).size(), 1u);
}

TEST(CompiledDiff, WhatIsToldOfOneKernelsCodeOnlyMakesNoDifference) {
  CompiledSide left = first(), right = first();
  left.facts[0].values["barriers"] = number(1);
  EXPECT_TRUE(compiled_differences(left, right).empty());
  left.facts[0].values["local_loads"] = number(3);
  EXPECT_EQ(compiled_differences(left, right).size(), 1u) << "no loads are none";
}

TEST(CompiledDiff, Post3SwappedArgumentsSwapSides) {
  const auto there = compiled_differences(first(), second()), back = compiled_differences(second(), first());
  ASSERT_EQ(there.size(), back.size());
  ASSERT_EQ(there.size(), 4u);
  for (const CompiledDifference& d : there) {
    const auto other = std::find_if(back.begin(), back.end(), [&](const auto& b) {
      return b.kind == d.kind && b.left_at == d.right_at && b.right_at == d.left_at;
    });
    ASSERT_NE(other, back.end()) << d.kind;
    EXPECT_EQ(d.change == Change::fresh, other->change == Change::gone);
    ASSERT_EQ(d.values.size(), other->values.size());
    for (std::size_t i = 0; i < d.values.size(); ++i) EXPECT_EQ(d.values[i].left, other->values[i].right);
  }
}

TEST(CompiledDiff, LinesCountOnlyInTheSameSource) {
  CompiledSide moved = first();
  for (Fact& fact : moved.facts) fact.at.span.line += 3;
  EXPECT_FALSE(compiled_differences(first(), moved).empty());
  moved.files[0].revision = "bb";
  EXPECT_TRUE(compiled_differences(first(), moved).empty()) << "another source has its facts on other lines";
}

TEST(CompiledDiff, EqualOnesOfALineArePairedFirst) {
  CompiledSide left = first(), right = first();
  left.facts = {made(Family::D3, "copy", "sA", 5, {{"bytes", number(1)}}),
                made(Family::D3, "copy", "sA", 5, {{"bytes", number(2)}})};
  right.facts = {made(Family::D3, "copy", "sA", 5, {{"bytes", number(2)}}),
                 made(Family::D3, "copy", "sA", 5, {{"bytes", number(3)}})};
  const auto all = compiled_differences(left, right);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].values[0].left, "1");
  EXPECT_EQ(all[0].values[0].right, "3");
}

TEST(CompiledDiff, OfManyLinesTheLargestChangesAreShown) {
  CompiledSide left = first(), right = first();
  for (std::uint32_t line = 1; line <= 30; ++line) {
    left.facts.push_back(made(Family::M1, "instructions", "gemm", 100 + line, {{"instructions", number(1)}}));
    right.facts.push_back(
        made(Family::M1, "instructions", "gemm", 100 + line, {{"instructions", number(1 + line)}}));
  }
  const std::string some = compiled_diff(left, right, ViewOptions(), false),
                    all = compiled_diff(left, right, ViewOptions(), true);
  EXPECT_NE(some.find("and 18 more lines whose instructions changed (--full)"), std::string::npos) << some;
  EXPECT_EQ(some.find(":101 "), std::string::npos);
  EXPECT_NE(some.find(":130 "), std::string::npos);
  EXPECT_NE(all.find(":101 "), std::string::npos);
}

TEST(CompiledDiff, LooksAsTheHeaderShows) {
  const std::string out = compiled_diff(first(), second(), ViewOptions(), false);
  EXPECT_EQ(testing::sample_of_header("report/compiled_diff.h"), out) << testing::as_comment(out);
}

std::set<std::string> members_of(const nlohmann::json& json) {
  std::set<std::string> names;
  for (const auto& [name, value] : json.items()) names.insert(name);
  return names;
}

TEST(CompiledDiffJson, PageNamesExactlyWhatIsWritten) {
  const auto whole = nlohmann::json::parse(compiled_diff_json(first(), second()));
  std::ifstream file(CUTELAB_SOURCE_DIR "/docs/compiled_diff.md");
  std::map<std::string, std::set<std::string>> pages;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) section = line.substr(3);
    if (line.rfind("| `", 0) == 0) pages[section].insert(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(pages.size(), 4u);
  EXPECT_EQ(pages["Compiled difference"], members_of(whole));
  EXPECT_EQ(pages["Compilation"], members_of(whole["left"]));
  EXPECT_EQ(pages["Difference"], members_of(whole["differences"][0]));
  EXPECT_EQ(pages["Changed value"], members_of(whole["differences"][0]["values"][0]));
  EXPECT_EQ(whole["differences"][0]["left_line"], 22);
  EXPECT_EQ(whole["differences"][0]["file"], "k/gemm.py");
}

}  // namespace
}  // namespace cutelab::report
