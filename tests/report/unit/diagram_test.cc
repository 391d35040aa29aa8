#include "report/diagram.h"

#include <gtest/gtest.h>

#include <utility>

#include "evidence/names.h"
#include "report/sample.h"
#include "report/tensor_memory.h"

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

TEST(MemoryMap, WhatTheDefaultsLeaveOutTakesNothing) {
  auto model = models(testing::sample_reading())[0];
  model.storage.push_back({0, "epilogue", "", std::nullopt, "", false});
  EXPECT_EQ(memory_map(model).unknown, 0);
  EXPECT_EQ(sum(memory_map(model)), memory_map(model).total);
  EXPECT_EQ(memory_map(model).shares[2].name, "padding");
}

TEST(MemoryMap, OverTheLimitHasNoFreeSpace) {
  auto model = models(testing::sample_reading())[0];
  model.capacity_bytes = 1000;
  const MemoryMap map = memory_map(model);
  EXPECT_EQ(map.total, map.used);
  EXPECT_EQ(sum(map), map.total);
}

TEST(MemoryMap, NothingKnownDrawsNothing) { EXPECT_EQ(memory_diagram(memory_map(KernelModel{})), ""); }

KernelModel with_tensors() {
  KernelModel model;
  model.tensor_memory_columns = "256";
  const auto row = [&](const char* name, std::int64_t first, std::int64_t columns) {
    TensorMemoryRow out;
    out.name = name;
    out.first = first;
    out.columns = columns;
    out.of_allocation = true;
    model.tensor_memory.push_back(out);
  };
  row("S", 0, 128);
  row("P", 32, 64);
  row("factors", 144, 16);
  return model;
}

TEST(TensorMemoryMap, ColumnsAddUp) {
  const MemoryMap map = tensor_memory_map(with_tensors());
  EXPECT_EQ(sum(map), 512 * 512);
  EXPECT_EQ(map.used, 256 * 512);
  std::vector<std::pair<std::string, std::int64_t>> columns;
  for (const auto& share : map.shares) columns.emplace_back(share.name, share.bytes / 512);
  EXPECT_EQ(
      columns,
      (std::vector<std::pair<std::string, std::int64_t>>{
          {"S", 128}, {"no tensor told", 16}, {"factors", 16}, {"no tensor told", 96}, {"256 free", 256}}));
  ASSERT_EQ(map.over.size(), 1u);
  EXPECT_EQ(map.over[0].name, "P");
  EXPECT_EQ(map.over[0].begin, 32 * 512);
  EXPECT_NE(memory_diagram(map).find("P: 32–95"), std::string::npos);
  const std::string drawn = memory_diagram(map, "tensor memory");
  EXPECT_NE(drawn.find("aria-label=\"tensor memory, 256 of 512 columns allocated\""), std::string::npos);
  EXPECT_EQ(drawn.find("used"), std::string::npos) << "what is allocated need not be used";
}

TEST(TensorMemoryMap, WhatCountsFromTheMemorysBeginHasNoPlaceInAPartOfIt) {
  KernelModel model = with_tensors();
  for (auto& row : model.tensor_memory) row.of_allocation = false;
  EXPECT_EQ(tensor_memory_map(model).shares.front().name, "256 columns allocated");
  model.tensor_memory_columns = "512";
  EXPECT_EQ(tensor_memory_map(model).shares.front().name, "S");
  EXPECT_EQ(sum(tensor_memory_map(model)), 512 * 512);
}

evidence::Fact laid(const char* name, evidence::Value first, std::int64_t columns) {
  evidence::Fact fact;
  fact.family = evidence::Family::D4;
  fact.kind = evidence::kind::tensor_memory_tensor;
  fact.subject = name;
  fact.values["first_column"] = std::move(first);
  fact.values["columns"] = evidence::literal(columns);
  fact.values["from"] = evidence::literal("allocation");
  return fact;
}

TEST(TensorMemoryRows, NamesOfOnePlaceAreOneRowAndAHelpersGoWithItsCallers) {
  evidence::Value either;
  either.data =
      evidence::Value::List{evidence::literal(std::int64_t{0}), evidence::literal(std::int64_t{64})};
  evidence::Reading reading;
  reading.facts = {laid("acc", either, 64), laid("S", evidence::literal(std::int64_t{0}), 64),
                   laid("tS", evidence::literal(std::int64_t{0}), 64),
                   laid("late", evidence::undetermined("run time", {"n"}, {}, ""), 8)};
  const auto rows = models(reading)[0].tensor_memory;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name + " " + columns_text(rows[0]), "S, tS 0–63");
  EXPECT_EQ(rows[1].name + " " + columns_text(rows[1]), "acc 64–127");
  EXPECT_EQ(rows[2].name + " " + columns_text(rows[2]), "late ? (8)");
}

TEST(TensorMemoryRows, SayWhatLiesUnderThem) {
  const auto rows = with_tensors().tensor_memory;
  EXPECT_EQ(shares_text(rows, 1), "S");
  EXPECT_EQ(shares_text(rows, 2), "");
  EXPECT_EQ(widest(rows, 2), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(widest(rows, 9).size(), 3u);
}

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
