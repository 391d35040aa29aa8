#include "report/diagram.h"

#include <gtest/gtest.h>

#include "report/sample.h"

namespace cutelab::report {
namespace {

std::int64_t sum(const MemoryMap& map) {
  std::int64_t out = 0;
  for (const auto& share : map.shares) out += share.bytes;
  return out;
}

TEST(MemoryMap, TotalsClose) {
  const MemoryMap map = memory_map(models(testing::sample_reading())[0]);
  EXPECT_EQ(map.used, 66560);
  EXPECT_EQ(map.total, 232448);
  EXPECT_EQ(sum(map), map.total);
  ASSERT_EQ(map.shares.size(), 4u);
  EXPECT_EQ(map.shares[2].name, "padding");
  EXPECT_EQ(map.shares[2].bytes, 66560 - 64 - 65536);
}

TEST(MemoryMap, UnknownMembersAreNotHidden) {
  auto model = models(testing::sample_reading())[0];
  model.storage[1].bytes = std::nullopt;
  const MemoryMap map = memory_map(model);
  EXPECT_EQ(map.unknown, 1);
  EXPECT_EQ(map.shares[1].name, "undetermined members and padding");
  EXPECT_EQ(sum(map), map.total);
}

TEST(MemoryMap, OverTheLimitHasNoFreeSpace) {
  auto model = models(testing::sample_reading())[0];
  model.capacity_bytes = 1000;
  const MemoryMap map = memory_map(model);
  EXPECT_EQ(map.total, map.used);
  EXPECT_EQ(sum(map), map.total);
}

TEST(MemoryMap, NothingKnownDrawsNothing) { EXPECT_EQ(memory_diagram(memory_map(KernelModel{})), ""); }

TEST(RoleDiagram, LanesAndAnArrowFromProducerToConsumer) {
  const std::string svg = role_diagram(models(testing::sample_reading())[0]);
  EXPECT_NE(svg.find(">load<"), std::string::npos);
  EXPECT_NE(svg.find(">scale<"), std::string::npos);
  EXPECT_NE(svg.find(">ring ×4<"), std::string::npos);
  EXPECT_NE(svg.find(">PipelineTmaAsync<"), std::string::npos);
  EXPECT_EQ(svg.find(">?<"), std::string::npos);
}

TEST(RoleDiagram, AnUnknownSideGetsALaneOfItsOwn) {
  auto model = models(testing::sample_reading())[0];
  model.pipelines[0].producers.clear();
  EXPECT_NE(role_diagram(model).find(">?<"), std::string::npos);
}

TEST(RoleDiagram, SidesThatAreNotToldAreUnknownAndNoLoop) {
  auto model = models(testing::sample_reading())[0];
  model.roles.clear();
  model.pipelines[0].producers.clear();
  model.pipelines[0].consumers.clear();
  const std::string svg = role_diagram(model);
  EXPECT_NE(svg.find(">?<"), std::string::npos);
  EXPECT_EQ(svg.find("all threads"), std::string::npos);
  EXPECT_EQ(svg.find("flow loop"), std::string::npos);
}

TEST(RoleDiagram, LongNamesTakeTwoLinesAndStayInTheirBox) {
  KernelModel model;
  model.roles.resize(6);
  for (std::size_t i = 0; i < model.roles.size(); ++i)
    model.roles[i].name = i == 0 ? "producer_warp_loadkv" : "r" + std::to_string(i);
  const std::string svg = role_diagram(model);
  EXPECT_NE(svg.find(">producer_<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">warp_loadkv<"), std::string::npos) << svg;
}

TEST(RoleDiagram, NothingToSayDrawsNothing) { EXPECT_EQ(role_diagram(KernelModel{}), ""); }

}  // namespace
}  // namespace cutelab::report
