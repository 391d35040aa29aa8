#include "report/role_timeline_view.h"

#include <gtest/gtest.h>

namespace cutelab::report {
namespace {

evidence::RoleTimeline role_sample() {
  evidence::RoleTimeline t;
  t.roles = {"loader", "consumer"};
  t.names = {{"for a stage", true}, {"issue", false}, {"multiply", false}};
  t.end_ns = 2000;
  t.tracks.push_back({0, 0, 5, 0, 1000, {{1, 0, 100}, {0, 100, 900}, {1, 900, 1000}}, 0});
  t.tracks.push_back({0, 1, 5, 0, 2000, {{2, 0, 2000}}, 0});
  t.tracks.push_back({1, 1, 6, 500, 2000, {{2, 500, 800}}, 0});
  return t;
}

TEST(RoleView, TheTableGivesEachRolesShares) {
  evidence::RoleSummary r;
  r.role = "loader";
  r.tracks = 132;
  r.life_ns = 1000;
  r.work_ns = 200;
  r.waits = {{"for a stage", 750}};
  r.unaccounted_ns = 50;
  r.bubbles = 1234;
  r.longest_bubble_ns = 750;
  r.longest_bubble_cta = 7;
  const auto text = role_table({r});
  EXPECT_NE(text.find("20.0"), std::string::npos) << text;
  EXPECT_NE(text.find("for a stage 75.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("1,234"), std::string::npos) << text;
  EXPECT_NE(text.find("0.75 (CTA 7)"), std::string::npos) << text;
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(RoleView, TheDrawingHasARowPerRoleAndSaysHowMuchOfItWasIdle) {
  const auto svg = role_svg(role_sample(), {0}, "dense_gemm <v7>");
  EXPECT_NE(svg.find("CTA 0 loader"), std::string::npos);
  EXPECT_NE(svg.find("CTA 0 consumer"), std::string::npos);
  EXPECT_EQ(svg.find("CTA 1"), std::string::npos) << "not asked for";
  EXPECT_NE(svg.find("idle 80.0 %"), std::string::npos);
  EXPECT_NE(svg.find("idle 0.0 %"), std::string::npos);
  EXPECT_EQ(count(svg, "class=\"w1\""), 3) << "two spans and the legend; waits are gaps";
  EXPECT_NE(svg.find("dense_gemm &lt;v7&gt;"), std::string::npos);
}

TEST(RoleView, ManyShortSpansOfOneNameAreOneRectangle) {
  auto t = role_sample();
  t.tracks.resize(1);
  t.tracks[0].spans.clear();
  for (int i = 0; i < 1000; ++i) t.tracks[0].spans.push_back({1, i * 1.0, i + 0.9});
  EXPECT_EQ(count(role_svg(t, {0}, "x"), "class=\"w1\""), 2);
}

}  // namespace
}  // namespace cutelab::report
