#include "report/comparison.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/header_sample.h"

namespace cutelab::report {
namespace {
using evidence::Agreement;
using evidence::ComparedFact;
using evidence::Comparison;
using evidence::Family;

ComparedFact entry(Agreement agreement, const char* kind, const char* subject, std::uint32_t line) {
  ComparedFact fact;
  fact.agreement = agreement;
  fact.family = Family::D2;
  fact.kind = kind;
  fact.subject = subject;
  fact.at.span.line = fact.at.span.end_line = line;
  return fact;
}

evidence::Value list(std::initializer_list<std::int64_t> numbers) {
  evidence::Value::List items;
  for (const std::int64_t number : numbers) items.push_back(evidence::literal(number));
  evidence::Value value;
  value.data = std::move(items);
  return value;
}

Comparison sample() {
  Comparison comparison;
  comparison.files = {{"kernels/gemm.py", "", 90}};
  comparison.arch = "sm_90a";
  comparison.compiler = "CuTe DSL 4.8.1";
  const auto number = [](std::int64_t n) { return evidence::literal(n); };
  ComparedFact pipeline = entry(Agreement::agree, "pipeline", "mainloop", 22);
  pipeline.values = {{"stages", number(4), number(4), Agreement::agree}};
  ComparedFact launch = entry(Agreement::filled, "launch", "Gemm", 30);
  launch.values = {
      {"grid", evidence::undetermined("at run time", {}, {}, ""), list({1, 1, 132}), Agreement::filled}};
  ComparedFact copy = entry(Agreement::differ, "copy", "tma_a", 41);
  copy.values = {{"bytes", number(8192), number(16384), Agreement::differ}};
  ComparedFact commit = entry(Agreement::source_only, "commit", "mainloop", 50);
  commit.reason = "compiles to nothing: the TMA unit arrives by itself";
  ComparedFact barrier = entry(Agreement::compiled_only, "barrier", "", 61);
  barrier.values = {{"id", {}, number(1), Agreement::compiled_only},
                    {"threads", {}, number(128), Agreement::compiled_only}};
  comparison.facts = {pipeline, launch, copy, commit, barrier};
  return comparison;
}

TEST(ComparisonView, SampleOnTopOfTheHeaderIsTrue) {
  const std::string out = comparison(sample(), ViewOptions(), true);
  EXPECT_EQ(testing::sample_of_header("report/comparison.h"), out) << testing::as_comment(out);
}

TEST(ComparisonView, WhatAgreesIsOnlyCountedUnlessAsked) {
  const std::string text = comparison(sample(), ViewOptions(), false);
  EXPECT_EQ(text.find("mainloop  stages"), std::string::npos);
  EXPECT_NE(text.find("1 agree"), std::string::npos);
  EXPECT_NE(text.find("compiled 16384"), std::string::npos);
}

std::map<std::string, std::set<std::string>> documented() {
  std::ifstream file(CUTELAB_SOURCE_DIR "/docs/comparison.md");
  std::map<std::string, std::set<std::string>> sections;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) section = line.substr(3);
    if (line.rfind("| `", 0) == 0) sections[section].insert(line.substr(3, line.find('`', 3) - 3));
  }
  return sections;
}

TEST(ComparisonJson, PageNamesExactlyWhatIsWritten) {
  const auto whole = nlohmann::json::parse(comparison_json(sample()));
  const std::map<std::string, nlohmann::json> written = {{"Comparison", whole},
                                                         {"Compared fact", whole["facts"][0]},
                                                         {"Compared value", whole["facts"][0]["values"][0]}};
  const auto pages = documented();
  EXPECT_EQ(pages.size(), written.size());
  for (const auto& [section, json] : written) {
    std::set<std::string> members;
    for (const auto& [name, value] : json.items()) members.insert(name);
    ASSERT_TRUE(pages.count(section)) << section;
    EXPECT_EQ(pages.at(section), members) << section;
  }
}

TEST(ComparisonJson, CountsAndValues) {
  const auto whole = nlohmann::json::parse(comparison_json(sample()));
  EXPECT_EQ(whole["counts"]["differ"], 1);
  EXPECT_EQ(whole["facts"][2]["values"][0]["compiled"]["value"], 16384);
  EXPECT_EQ(whole["facts"][3]["reason"], "compiles to nothing: the TMA unit arrives by itself");
  EXPECT_TRUE(whole["facts"][1]["values"][0]["source"]["value"].is_null());
}

}  // namespace
}  // namespace cutelab::report
