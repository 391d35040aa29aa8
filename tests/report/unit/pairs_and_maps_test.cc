#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "base/text.h"
#include "report/diff.h"
#include "report/header_sample.h"
#include "report/html.h"
#include "report/known_view.h"
#include "report/model.h"
#include "report/sample.h"

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Family;
using evidence::Reading;

Fact pipeline(const char* name, const char* type, std::int64_t stages) {
  Fact f;
  f.family = Family::D2;
  f.kind = "pipeline";
  f.subject = name;
  f.values["class"] = evidence::literal(type);
  f.values["stages"] = evidence::literal(stages);
  return f;
}

Fact stages(const char* name, std::int64_t count) {
  Fact f;
  f.family = Family::H3;
  f.kind = "stages";
  f.subject = name;
  f.values["stages"] = evidence::literal(count);
  return f;
}

Reading hopper() {
  Reading r;
  r.files = {{"hopper.py", "", 10}};
  r.facts = {pipeline("mainloop_pipeline", "PipelineTmaAsync", 7),
             pipeline("tma_store_pipeline", "PipelineTmaStore", 4), stages("self.ab_stage", 7),
             stages("self.epi_stage", 4)};
  return r;
}

Reading blackwell() {
  Reading r;
  r.files = {{"blackwell.py", "", 10}};
  r.facts = {pipeline("ab", "PipelineTmaUmma", 6), pipeline("acc_pipeline", "PipelineUmmaAsync", 2),
             pipeline("c_pipeline", "PipelineTmaStore", 4), stages("self.num_ab_stage", 6),
             stages("self.num_acc_stage", 2)};
  return r;
}

const Difference* about(const std::vector<Difference>& all, const std::string& subject) {
  for (const Difference& d : all)
    if (d.subject == subject) return &d;
  return nullptr;
}

TEST(DiffPairs, WhatDoesTheSameUnderAnotherNameIsPairedBeforeItIsCalledNew) {
  const auto all = differences(hopper(), blackwell());
  const Difference* loads = about(all, "ring of loads");
  ASSERT_NE(loads, nullptr);
  EXPECT_NE(loads->left.find("mainloop_pipeline: PipelineTmaAsync, 7 stages"), std::string::npos)
      << loads->left;
  EXPECT_NE(loads->right.find("ab: PipelineTmaUmma, 6 stages"), std::string::npos) << loads->right;
  const Difference* depth = about(all, "ab");
  ASSERT_NE(depth, nullptr);
  EXPECT_EQ(depth->left + " -> " + depth->right, "ab_stage: 7 -> num_ab_stage: 6");
  const Difference* added = about(all, "acc_pipeline");
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(added->left, "");
}

TEST(DiffPairs, SwappingTheSidesSwapsThePairs) {
  const auto forth = differences(hopper(), blackwell()), back = differences(blackwell(), hopper());
  ASSERT_EQ(forth.size(), back.size());
  for (const Difference& d : forth) {
    const Difference* same = about(back, d.subject);
    ASSERT_NE(same, nullptr) << d.subject;
    EXPECT_EQ(same->left, d.right);
    EXPECT_EQ(same->right, d.left);
  }
}

/// Bytes that the rectangles of one drawing carry in their titles, by name.
std::map<std::string, std::int64_t> drawn_bytes(const std::string& page, const std::string& what) {
  std::map<std::string, std::int64_t> out;
  const auto label = page.find(what + ", ");
  if (label == std::string::npos) return out;
  const auto begin = page.rfind("<svg", label), end = page.find("</svg>", label);
  const std::string drawing = page.substr(begin, end - begin);
  const std::regex title("<title>([^<]*): ([0-9,]+) B</title>");
  for (std::sregex_iterator it(drawing.begin(), drawing.end(), title), stop; it != stop; ++it)
    out[(*it)[1]] = *parse_integer(replace_all((*it)[2], ",", ""));
  return out;
}

std::int64_t total(const std::map<std::string, std::int64_t>& shares) {
  std::int64_t out = 0;
  for (const auto& [name, bytes] : shares) out += bytes;
  return out;
}

TEST(HtmlView, BytesOfTheMemoryMapsAddUp) {
  Reading reading = testing::sample_reading();
  Fact columns;
  columns.family = Family::D4;
  columns.kind = "tensor-memory-allocation";
  columns.subject = "tmem";
  columns.kernel = reading.facts[0].kernel;
  columns.values["columns"] = evidence::literal(std::int64_t{128});
  reading.facts.push_back(columns);
  const std::string page = html(reading, {testing::sample_source()});
  const auto shared = drawn_bytes(page, "shared memory");
  EXPECT_EQ(total(shared), 232448);
  EXPECT_EQ(shared.at("tiles"), 65536);
  const auto tensor = drawn_bytes(page, "tensor memory");
  EXPECT_EQ(total(tensor), 512 * 128 * 4);
  EXPECT_EQ(tensor.at("128 columns allocated"), 128 * 512);
}

TEST(SharedMemory, TheLaunchSaysTheTotalAndBuffersOfTheirOwnCount) {
  Reading reading;
  Fact launch;
  launch.family = Family::H2;
  launch.kind = "launch";
  launch.values["smem_bytes"] = evidence::literal(std::int64_t{2304});
  Fact buffer;
  buffer.family = Family::H3;
  buffer.kind = "allocation";
  buffer.subject = "sA";
  buffer.values["bytes"] = evidence::literal(std::int64_t{2048});
  reading.facts = {launch, buffer};
  EXPECT_EQ(models(reading)[0].storage_bytes, 2304);
}

evidence::Knowledge sample_knowledge() {
  const auto at = [](std::uint32_t line) {
    return evidence::Location{0, {line * 10, line * 10 + 5, line, line, 1}};
  };
  return {"docs/knowledge",
          {{"confirms", "tma-multi-stage-pipeline", "", "", {"P1"}, {}, {at(30), at(32)}},
           {"refines",
            "warp-specialization-registers",
            "",
            "",
            {"P2"},
            {"adds {fact: {family: D1, kind: role}}"},
            {at(31), at(34)}}},
          {"P8"}};
}

TEST(KnownView, SampleOnTopOfTheHeaderIsTrue) {
  ViewOptions options;
  options.width = 80;
  const std::string out = known(testing::sample_reading(), sample_knowledge(), options);
  EXPECT_EQ(testing::sample_of_header("report/known_view.h"), out) << testing::as_comment(out);
}

TEST(KnownView, PageShowsEntriesWithTheirLines) {
  const evidence::Knowledge knowledge = sample_knowledge();
  const std::string page = html(testing::sample_reading(), {testing::sample_source()}, &knowledge);
  EXPECT_NE(page.find("tma-multi-stage-pipeline"), std::string::npos);
  EXPECT_NE(page.find("new: P8"), std::string::npos);
  EXPECT_EQ(html(testing::sample_reading(), {testing::sample_source()}).find("Known patterns"),
            std::string::npos);
}

}  // namespace
}  // namespace cutelab::report
