#include "report/card.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "evidence/names.h"

namespace cutelab {
namespace {

evidence::Fact fact(evidence::Family family, const char* kind, std::uint32_t line) {
  evidence::Fact out;
  out.family = family;
  out.kind = kind;
  out.at.span.line = out.at.span.end_line = line;
  return out;
}

TEST(Card, CitesLinesOnceLeavesOptionalFactsAndOtherFilesOut) {
  evidence::Reading reading;
  reading.files = {{"k.py", "", 90}, {"helper.py", "", 9}};
  reading.facts = {fact(evidence::Family::D2, "acquire", 7), fact(evidence::Family::D2, "wait", 7),
                   fact(evidence::Family::D2, "peek", 8), fact(evidence::Family::D2, "release", 9)};
  reading.facts[2].optional = true;
  reading.facts[3].at.file = 1;
  const auto card = report::card(reading);
  EXPECT_EQ(card["facts"]["D2"].dump(), R"([{"lines":[7]}])");
  EXPECT_EQ(card["file"], "k.py");
}

TEST(Card, UndeterminedNumbersAreNullNeverGuessed) {
  evidence::Reading reading;
  auto launch = fact(evidence::Family::H2, evidence::kind::launch, 5);
  launch.values["threads"] = evidence::literal(std::int64_t{384});
  launch.values["grid"] = evidence::undetermined("needs evaluation", {"x"}, {}, "grid");
  auto ring = fact(evidence::Family::D2, evidence::kind::pipeline, 6);
  ring.values["class"] = evidence::literal("PipelineTmaAsync");
  ring.values["stages"] = evidence::undetermined("needs evaluation", {"n"}, {}, "n");
  reading.facts = {launch, ring};
  const auto card = report::card(reading);
  EXPECT_EQ(card["key_numbers"]["threads_per_cta"], 384);
  EXPECT_TRUE(card["key_numbers"]["grid"].is_null());
  EXPECT_TRUE(card["key_numbers"]["pipelines"].is_null());
}

TEST(Card, WhatTheDefaultsLeaveOutIsNotCounted) {
  evidence::Reading reading;
  auto ring = fact(evidence::Family::D2, evidence::kind::pipeline, 6);
  ring.values["class"] = evidence::literal("PipelineTmaAsync");
  ring.values["stages"] = evidence::literal(std::int64_t{4});
  auto off = ring;
  off.values["active"] = evidence::literal(false);
  auto budget = fact(evidence::Family::D1, evidence::kind::register_budget, 9);
  budget.values["action"] = evidence::literal("increase");
  budget.values["registers"] = evidence::literal(std::int64_t{216});
  budget.values["active"] = evidence::literal(false);
  reading.facts = {ring, off, budget};
  const auto numbers = report::card(reading)["key_numbers"];
  EXPECT_EQ(numbers["pipelines"].dump(), R"([{"class":"PipelineTmaAsync","stages":4}])");
  EXPECT_TRUE(numbers["regs"].is_null());
}

TEST(Card, OfSeveralKernelsTheNumbersAreThoseOfTheOneWithTheMostSharedMemory) {
  evidence::Reading reading;
  const auto launch = [](const char* kernel, std::int64_t threads, std::int64_t bytes) {
    auto out = fact(evidence::Family::H2, evidence::kind::launch, 5);
    out.kernel = kernel;
    out.values["threads"] = evidence::literal(threads);
    out.values["smem_bytes"] = evidence::literal(bytes);
    return out;
  };
  auto ring = fact(evidence::Family::D2, evidence::kind::pipeline, 6);
  ring.values["class"] = evidence::literal("PipelineTmaAsync");
  ring.values["stages"] = evidence::literal(std::int64_t{4});
  ring.kernel = "main";
  auto other = ring;
  other.values["stages"] = evidence::literal(std::int64_t{2});
  other.kernel = "before";
  auto left_out = launch("never", 64, 200'000);
  left_out.values["active"] = evidence::literal(false);
  reading.facts = {
      launch("before", 128, 0), launch("main", 512, 4096), launch("after", 96, 16), left_out, other, ring};
  const auto numbers = report::card(reading)["key_numbers"];
  EXPECT_EQ(numbers["threads_per_cta"], 512);
  EXPECT_EQ(numbers["smem_bytes_total"], 4096);
  EXPECT_EQ(numbers["pipelines"].dump(), R"([{"class":"PipelineTmaAsync","stages":4}])");
}

}  // namespace
}  // namespace cutelab
