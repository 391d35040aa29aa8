#include "evidence/json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/text.h"

namespace cutelab::evidence {
namespace {
using Json = nlohmann::json;

Location at_line(std::uint32_t line) { return {0, {line * 10, line * 10 + 5, line, line, 1}}; }

Reading every_member() {
  Reading r;
  r.files = {{"gemm.py", "0123456789abcdef", 10}};
  r.functions = {{"Gemm.kernel", Function::Kind::kernel, at_line(3), {{0, at_line(4), true}}}};
  Fact fact;
  fact.at = at_line(2);
  fact.values["stages"] =
      undetermined("known only at run time", {"self.num_stages"}, at_line(2), "self.num_stages");
  r.facts = {fact};
  r.patterns = {
      PatternFinding{"P1", "TMA multi-stage pipeline", true, Tristate::yes, "", "", "", {at_line(1)}, {}}};
  r.flags = {{"--m", "rows", literal(std::int64_t{128}), at_line(5)}};
  r.imports = {{"helpers", "helpers.py", at_line(1)}};
  r.constraints = {{"m % 128 == 0", at_line(6), Constraint::Verdict::satisfied, "m = 256"}};
  r.default_conflicts = {{"tile", {{"--tile", literal(std::int64_t{128}), at_line(5)}}}};
  r.give_ups = {{"the step limit was reached", {"n"}, at_line(6)}};
  r.problems = {{"syntax error", at_line(7)}};
  r.lints = {{"no-stages",
              "a ring has at least one stage",
              "give it one",
              Severity::error,
              2,
              {{"ring has 0 stages", "4 // 5 = 0", {at_line(5)}}},
              {{"known only at run time", {"n"}, at_line(6)}}}};
  r.boundaries = {{"mA", "0", "divisible", "256 = 2 * 128", at_line(3)}};
  return r;
}

TEST(EvidenceJson, Post1InvalidUtf8BecomesTheReplacementCharacter) {
  Reading r;
  r.summary = "a\xFF\xC3z";
  const std::string text = json_text(r);
  EXPECT_NE(text.find("a\uFFFD\uFFFDz"), std::string::npos) << text;
  EXPECT_TRUE(Json::accept(text));
}

TEST(EvidenceJson, UndeterminedKeepsItsReason) {
  const Reading r = every_member();
  const auto json = Json::parse(json_text(r.facts[0].values.at("stages"), r));
  EXPECT_TRUE(json["value"].is_null());
  EXPECT_EQ(json["text"], "?");
  EXPECT_EQ(json["undetermined"]["reason"], "known only at run time");
  EXPECT_EQ(json["undetermined"]["depends_on"][0], "self.num_stages");
  EXPECT_EQ(json["undetermined"]["at"]["line"], 2);
}

TEST(EvidenceJson, PlainListsStayPlain) {
  Value list;
  list.data = Value::List{literal(std::int64_t{128}), literal(std::int64_t{64})};
  const auto json = Json::parse(json_text(list, Reading{}));
  EXPECT_EQ(json["value"].dump(), "[128,64]");
  EXPECT_TRUE(json["items"].is_null());
}

std::string message(const std::string& text) {
  const auto result = reading_from_json(text);
  return result ? "" : result.error().message();
}

TEST(EvidenceJson, ErrorsNameWhatIsWrong) {
  EXPECT_EQ(message("nonsense"),
            "error: load a cutelab.reading document: is not JSON\n  try: write it again with `--json`");
  EXPECT_EQ(
      message("{}"),
      "error: load a cutelab.reading document: has no member 'schema'\n  try: docs/schema.md has the form");
  EXPECT_EQ(message(R"({"schema": "cutelab.reading", "schema_version": 99})"),
            "error: load a cutelab.reading document: is cutelab.reading version 99; this program reads "
            "cutelab.reading "
            "version 1\n  try: write it again with this version of cutelab");
  auto json = Json::parse(json_text(every_member()));
  json["facts"][0]["values"]["stages"]["formula"] = 3;
  EXPECT_EQ(message(json.dump()),
            "error: load a cutelab.reading document: 'facts[0].values.stages.formula' is not a string\n"
            "  at: facts[0].values.stages.formula\n  try: docs/schema.md has the form");
}

TEST(EvidenceJson, DeepNestingEndsInAnError) {
  auto json = Json::parse(json_text(every_member()));
  Json deep = 1;
  for (int i = 0; i < 500; ++i) deep = Json::array({deep});
  json["flags"][0]["default_value"]["value"] = deep;
  EXPECT_NE(message(json.dump()).find("nested too deeply"), std::string::npos);
}

TEST(EvidenceJson, RunsOfOlderProgramsAreReadWithoutTheNewMembers) {
  evidence::Run run;
  run.outcome = {"kernel-fault", "illegal address"};
  run.provenance.command = "cutelab kernel k";
  run.provenance.code_hash = "0123456789abcdef";
  Json json = Json::parse(json_text(run));
  json.erase("outcome");
  json["provenance"].erase("command");
  json["provenance"].erase("code_hash");
  auto back = evidence::run_from_json(json.dump());
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->outcome, evidence::Run::Outcome());
  EXPECT_EQ(back->provenance.command, "");
  EXPECT_EQ(back->provenance.code_hash, "");
  EXPECT_EQ(evidence::identity_text(*back), evidence::identity_text(run))
      << "a stored run keeps its identity";
}

// Part by part as the readings come, the same document as all at once; none, one or several.
TEST(EvidenceJson, ReadingsGoOutOneByOneAsTheyWouldTogether) {
  for (const std::size_t count : {0u, 1u, 3u}) {
    std::vector<Reading> readings(count, every_member());
    for (std::size_t i = 0; i < count; ++i) readings[i].summary = "reading " + std::to_string(i);
    ReadingsText parts;
    std::string text;
    for (const Reading& reading : readings) text += parts.add(reading);
    text += parts.end();
    EXPECT_EQ(text, json_text(readings)) << count;
    const auto document = Json::parse(text);
    ASSERT_EQ(document["readings"].size(), count);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(document["readings"][i]["summary"], "reading " + std::to_string(i));
  }
}

TEST(EvidenceJson, SeveralRunsComeBackAndASingleOneIsTakenToo) {
  evidence::Run one;
  one.kernel = "a";
  evidence::Run two;
  two.kernel = "b";
  EXPECT_EQ(*evidence::runs_from_json(json_text(std::vector{one, two})), (std::vector{one, two}));
  EXPECT_EQ(*evidence::runs_from_json(json_text(one)), std::vector{one});
  EXPECT_FALSE(evidence::runs_from_json("{}"));
}

/// Member names per section of docs/schema.md: "Fact" -> {"family", "kind", …}.
std::map<std::string, std::set<std::string>> documented() {
  std::ifstream file(CUTELAB_SOURCE_DIR "/docs/schema.md");
  std::map<std::string, std::set<std::string>> out;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) section = line.substr(3);
    if (line.rfind("| `", 0) == 0) out[section].insert(line.substr(3, line.find('`', 3) - 3));
  }
  return out;
}

std::set<std::string> members(const Json& json) {
  std::set<std::string> out;
  for (const auto& [name, value] : json.items()) out.insert(name);
  return out;
}

TEST(EvidenceJson, SchemaPageNamesExactlyWhatIsWritten) {
  const Json reading = Json::parse(json_text(every_member()));
  evidence::Run filled;
  filled.metrics = {{"duration_us", 1.0, ""}};
  const Json run = Json::parse(json_text(filled));
  const Json& fact = reading["facts"][0];
  const evidence::Knowledge known = {
      "docs/knowledge", {{"confirms", "ring", "Ring", "ring.md", {}, {}, {}}}, {}};
  const Json knowledge = Json::parse(json_text(every_member(), &known))["knowledge"];
  const std::map<std::string, Json> written = {
      {"Reading", reading},
      {"File", reading["files"][0]},
      {"Location", fact["at"]},
      {"Value", fact["values"]["stages"]},
      {"Undetermined", fact["values"]["stages"]["undetermined"]},
      {"Fact", fact},
      {"Pattern", reading["patterns"][0]},
      {"Architecture", reading["arch"]},
      {"Function", reading["functions"][0]},
      {"Call", reading["functions"][0]["calls"][0]},
      {"Flag", reading["flags"][0]},
      {"Import", reading["imports"][0]},
      {"Constraint", reading["constraints"][0]},
      {"DefaultConflict", reading["default_conflicts"][0]},
      {"Stated", reading["default_conflicts"][0]["stated"][0]},
      {"Problem", reading["problems"][0]},
      {"Lint", reading["lints"][0]},
      {"Finding", reading["lints"][0]["findings"][0]},
      {"Mode", reading["boundaries"][0]},
      {"Knowledge", knowledge},
      {"KnownEntry", knowledge["entries"][0]},
      {"Totals", reading["totals"]},
      {"Readings", Json::parse(json_text(std::vector<Reading>{every_member(), every_member()}))},
      {"Run", run},
      {"Runs", Json::parse(json_text(std::vector<evidence::Run>{filled}))},
      {"Provenance", run["provenance"]},
      {"Metric", run["metrics"][0]},
      {"Check", run["check"]},
      {"Outcome", run["outcome"]}};
  const auto pages = documented();
  EXPECT_EQ(pages.size(), written.size());
  for (const auto& [section, json] : written) {
    ASSERT_TRUE(pages.count(section)) << section;
    EXPECT_EQ(pages.at(section), members(json)) << section;
  }
}

}  // namespace
}  // namespace cutelab::evidence
