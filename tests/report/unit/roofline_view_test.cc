#include "report/roofline_view.h"

#include <gtest/gtest.h>

namespace cutelab::report {
namespace {

Roofline sampled_roofline() {
  Roofline r;
  r.title = "norm <v0> on a GPU";
  r.memory = {{"DRAM", 4e12, "copy"}, {"DRAM peak", 4.8e12, "datasheet"}};
  r.arithmetic = {{"fp32", 60e12, "datasheet"}};
  r.flops = 1e9;
  r.bytes = 1e9;
  r.seconds = 0.5e-3;  // 2 TFLOP/s, 2 TB/s
  return r;
}

TEST(RooflineView, TheTableSaysWhatShareOfEachRoofIsReached) {
  const auto text = roofline_text(sampled_roofline());
  EXPECT_NE(text.find("norm <v0> on a GPU: 1 flop/byte, o = 2 TFLOP/s"), std::string::npos) << text;
  EXPECT_NE(text.find("| DRAM      |     4 TB/s |  50.0 % | copy"), std::string::npos) << text;
  EXPECT_NE(text.find("|   3.3 % | datasheet"), std::string::npos) << text;
}

TEST(RooflineView, ThePointLiesUnderTheRoofAndNoLineEndsInASpace) {
  const auto text = roofline_text(sampled_roofline());
  const auto plot = text.substr(0, text.find("flop/byte\n\n"));
  EXPECT_NE(plot.find('/'), std::string::npos);
  EXPECT_NE(plot.find('-'), std::string::npos);
  EXPECT_LT(plot.find('-'), plot.rfind('o')) << "the flat roof is above the point";
  EXPECT_EQ(text.find(" \n"), std::string::npos);
}

TEST(RooflineView, WithoutATimeTheRoofsStand) {
  auto r = sampled_roofline();
  r.seconds = 0;
  const auto text = roofline_text(r);
  EXPECT_EQ(text.find("o = "), std::string::npos);
  EXPECT_NE(text.find("fp32"), std::string::npos);
  EXPECT_EQ(roofline_svg(r).find("<circle"), std::string::npos);
}

TEST(RooflineView, WithoutRatesThereIsNothingToDrawAndItSaysSo) {
  auto r = sampled_roofline();
  r.memory.clear();
  EXPECT_EQ(roofline_text(r), "roofline: no rates of the device, or no work, to draw\n");
  EXPECT_NE(roofline_svg(r).find("no rates of the device"), std::string::npos);
}

TEST(RooflineView, TheSvgStandsAloneAndEscapesItsTitle) {
  const auto svg = roofline_svg(sampled_roofline());
  EXPECT_EQ(svg.rfind("<svg xmlns=", 0), 0u);
  EXPECT_NE(svg.find("<style>"), std::string::npos);
  EXPECT_NE(svg.find("norm &lt;v0&gt; on a GPU"), std::string::npos);
  EXPECT_EQ(svg.find("norm <v0>"), std::string::npos);
  EXPECT_NE(svg.find("class=\"run\""), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace cutelab::report
