#include "report/diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Family;
using evidence::Reading;

Fact fact(Family family, const char* kind, const char* subject, std::uint32_t line) {
  Fact f;
  f.family = family;
  f.kind = kind;
  f.subject = subject;
  f.at.span = {line * 10, line * 10 + 5, line, line, 1};
  return f;
}

Reading step(int stages, bool drains) {
  Reading r;
  r.files = {{drains ? "steps/step_1.py" : "steps/step_0.py", "", 50}};
  Fact count = fact(Family::H3, "stages", "ab_stages", 5);
  count.values["stages"] = evidence::literal(std::int64_t{stages});
  Fact unknown = fact(Family::H3, "stages", "c_stages", 6);
  unknown.values["stages"] =
      drains ? evidence::literal(std::int64_t{2}) : evidence::undetermined("at run time", {}, {}, "n");
  r.facts = {count, unknown};
  evidence::PatternFinding drain;
  drain.id = "P10";
  drain.title = "drain";
  drain.present = drains;
  drain.default_active = evidence::Tristate::yes;
  r.patterns = {drain};
  if (drains) {
    Fact fence = fact(Family::D5, "fence", "cute.arch", 30);
    fence.says = "fence (fence_proxy)";
    r.facts.push_back(fence);
  }
  return r;
}

TEST(Diff, NothingDiffersFromItself) {
  EXPECT_TRUE(differences(step(4, true), step(4, true)).empty());
  EXPECT_NE(diff(step(4, true), step(4, true), ViewOptions()).find("nothing that the facts show differs"),
            std::string::npos);
}

TEST(Diff, SaysWhatIsNewAndWhatChanged) {
  const auto all = differences(step(4, false), step(7, true));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].subject, "P10 drain");
  EXPECT_EQ(all[0].left, "");
  EXPECT_EQ(all[1].subject, "ab_stages");
  EXPECT_EQ(all[1].left + "->" + all[1].right, "4->7");
  EXPECT_EQ(all[1].left_at.line(), 5);
  EXPECT_EQ(all[2].section, "synchronisation");
}

// Post-condition 2: c_stages is unknown on one side.
TEST(Diff, WhatOneSideDoesNotKnowIsNoDifference) {
  for (const Difference& d : differences(step(4, false), step(4, true))) EXPECT_NE(d.subject, "c_stages");
}

// Post-condition 3.
TEST(Diff, SwappingTheSidesSwapsLeftAndRight) {
  const auto forth = differences(step(4, false), step(7, true));
  const auto back = differences(step(7, true), step(4, false));
  ASSERT_EQ(forth.size(), back.size());
  for (std::size_t i = 0; i < forth.size(); ++i) {
    EXPECT_EQ(forth[i].subject, back[i].subject);
    EXPECT_EQ(forth[i].left, back[i].right);
    EXPECT_EQ(forth[i].right, back[i].left);
  }
}

TEST(Diff, TextAndJsonSayTheSame) {
  const std::string text = diff(step(4, false), step(7, true), ViewOptions());
  EXPECT_NE(text.find("step_0.py -> step_1.py: 2 new, 1 changed, 0 gone"), std::string::npos) << text;
  EXPECT_NE(text.find("4 -> 7"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(diff_json(step(4, false), step(7, true)));
  EXPECT_EQ(json.at("schema"), "cutelab.diff");
  EXPECT_EQ(json.at("differences").size(), 3u);
  EXPECT_EQ(json["differences"][1]["change"], "changed");
}

}  // namespace
}  // namespace cutelab::report
