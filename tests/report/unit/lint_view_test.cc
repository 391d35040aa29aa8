#include "report/lint_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/sarif.h"

namespace cutelab::report {
namespace {
using evidence::Lint;
using evidence::Location;
using evidence::Reading;
using evidence::Severity;
using Json = nlohmann::json;

Location on_line_of(std::uint32_t line, int file = 0) {
  return {file, {line * 10, line * 10 + 5, line, line, 3}};
}

Reading with_findings() {
  Reading r;
  r.files = {{"folder/my kernel.py", "0123", 90}, {"folder/helpers.py", "4567", 20}};
  Lint budget{"register-budget", "registers fit", "lower one", Severity::error, 3, {}, {}};
  budget.findings = {
      {"asks for 66560 registers", "128 * 40 + 256 * 240 = 66560", {on_line_of(15), on_line_of(9, 1)}}};
  Lint narrow{"narrow-load", "loads are wide", "widen", Severity::note, 1, {{"x1", "", {on_line_of(7)}}}, {}};
  Lint stages{"no-stages", "a stage", "shrink", Severity::error, 0, {}, {}};
  stages.undecided = {{"ring: stages: known only at run time", {"n"}, on_line_of(5)},
                      {"ring: stages: known only at run time", {"n"}, on_line_of(6)}};
  r.lints = {narrow, budget, stages};
  r.boundaries = {{"mA", "m", "unguarded", "10 % 16 = 10", on_line_of(11)}};
  return r;
}

TEST(LintView, WorstFirstWithFormulaAndWhatCouldNotBeDecided) {
  const std::string text = lints(with_findings(), ViewOptions(), false);
  EXPECT_NE(text.find("rules: 1 error, 1 note; 4 places held to 3 rules, 2 could not be decided"),
            std::string::npos)
      << text;
  EXPECT_LT(text.find("register-budget"), text.find("narrow-load"));
  EXPECT_NE(text.find("128 * 40 + 256 * 240 = 66560"), std::string::npos);
  EXPECT_NE(text.find("undecided: ring: stages: known only at run time (2)"), std::string::npos) << text;
  EXPECT_EQ(text.find("unguarded"), std::string::npos) << "modes stand in the full view";
  const std::string everything = lints(with_findings(), ViewOptions(), true);
  EXPECT_NE(everything.find("unguarded"), std::string::npos) << everything;
}

TEST(LintView, WhatOnlyTheWheelDecidesIsSaidOnce) {
  Reading reading = with_findings();
  reading.lints[2].undecided = {{"cute.make_rmem_tensor (line 9) needs wheel >= 4.3.0", {}, on_line_of(9)},
                                {"arch.setmaxregister (line 12) needs wheel >= 4.10.1", {}, on_line_of(12)}};
  const std::string text = lints(reading, ViewOptions(), false);
  EXPECT_NE(text.find("undecided: 2 names need wheel >= 4.10.1"), std::string::npos) << text;
  EXPECT_EQ(text.find("make_rmem_tensor"), std::string::npos) << text;
}

TEST(LintView, WithoutRulesNothingIsSaid) { EXPECT_EQ(lints(Reading(), ViewOptions(), true), ""); }

// Members that the SARIF 2.1.0 schema requires: log version, runs; run tool; tool driver; driver name;
// reportingDescriptor id; result message; and what code review needs beside them.
TEST(Sarif, HoldsWhatTheSchemaRequires) {
  const Json log = Json::parse(sarif({with_findings()}, "1.2.3"));
  EXPECT_EQ(log.at("version"), "2.1.0");
  ASSERT_EQ(log.at("runs").size(), 1u);
  const Json& run = log["runs"][0];
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "cutelab");
  const Json& rules = run["tool"]["driver"].at("rules");
  ASSERT_EQ(rules.size(), 3u) << "rules without a finding are named too";
  for (const Json& rule : rules) {
    EXPECT_FALSE(rule.at("id").get<std::string>().empty());
    EXPECT_FALSE(rule.at("shortDescription").at("text").get<std::string>().empty());
  }
  ASSERT_EQ(run.at("results").size(), 2u);
  for (const Json& result : run["results"]) {
    const std::string level = result.at("level");
    EXPECT_TRUE(level == "error" || level == "warning" || level == "note") << level;
    EXPECT_EQ(rules.at(result.at("ruleIndex").get<std::size_t>()).at("id"), result.at("ruleId"));
    EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
    ASSERT_EQ(result.at("locations").size(), 1u);
    const Json& place = result["locations"][0].at("physicalLocation");
    EXPECT_EQ(place.at("artifactLocation").at("uri"), "folder/my%20kernel.py");
    EXPECT_GE(place.at("region").at("startLine").get<int>(), 1);
    EXPECT_GE(place["region"].at("startColumn").get<int>(), 1);
  }
  const Json& budget = run["results"][1];
  EXPECT_EQ(budget.at("relatedLocations")[0]["physicalLocation"]["artifactLocation"]["uri"],
            "folder/helpers.py");
  EXPECT_EQ(budget["locations"][0]["physicalLocation"]["region"]["startLine"], 15);
}

TEST(Sarif, OneRuleForAllReadings) {
  const Json log = Json::parse(sarif({with_findings(), with_findings()}, "1"));
  EXPECT_EQ(log["runs"][0]["tool"]["driver"]["rules"].size(), 3u);
  EXPECT_EQ(log["runs"][0]["results"].size(), 4u);
}

}  // namespace
}  // namespace cutelab::report
