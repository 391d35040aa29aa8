#include "knowledge/signature.h"

#include <gtest/gtest.h>

#include "knowledge/knowledge_fixture.h"

namespace cutelab::knowledge {
namespace {
using evidence::Tristate;

Tristate verdict(const std::string& yaml) { return match(signature(yaml), small_reading()).verdict; }

TEST(Signature, AFactTermHoldsWhenOneFactHasItsFamilyKindAndValues) {
  EXPECT_EQ(verdict("fact: {family: D2, kind: pipeline, class: PipelineTmaAsync}"), Tristate::yes);
  EXPECT_EQ(verdict("fact: {family: D2, kind: pipeline, class: PipelineTmaStore}"), Tristate::no);
  EXPECT_EQ(verdict("fact: {family: D2, kind: pipeline, class: PipelineTma*}"), Tristate::yes);
  EXPECT_EQ(verdict("fact: {family: D3, kind: pipeline}"), Tristate::no);
  EXPECT_EQ(verdict("fact: {subject: \"tma_?\"}"), Tristate::no) << "only * is special";
}

TEST(Signature, RelationsCompareNumbers) {
  EXPECT_EQ(verdict("fact: {family: D2, stages: \"> 1\"}"), Tristate::yes);
  EXPECT_EQ(verdict("fact: {family: D2, stages: \"> 4\"}"), Tristate::no);
  EXPECT_EQ(verdict("fact: {family: D2, stages: \">= 4\"}"), Tristate::yes);
  EXPECT_EQ(verdict("fact: {family: D2, stages: 4}"), Tristate::yes);
  EXPECT_EQ(verdict("fact: {family: D2, class: \"> 1\"}"), Tristate::no)
      << "a name is in no relation to a number";
  EXPECT_EQ(verdict("fact: {family: H2, cluster: [2, 1, 1]}"), Tristate::yes);
}

TEST(Signature, CountsFacts) {
  EXPECT_EQ(verdict("fact: {family: H1, count: 2}"), Tristate::yes);
  EXPECT_EQ(verdict("fact: {family: H1, count: \">= 3\"}"), Tristate::no);
  EXPECT_EQ(verdict("fact: {family: D6, count: 0}"), Tristate::yes);
}

TEST(Signature, AnUndeterminedValueIsNeverTakenForAnAnswer) {
  EXPECT_EQ(verdict("fact: {family: D1, registers: 40}"), Tristate::undetermined);
  EXPECT_EQ(verdict("none: [fact: {family: D1, registers: 40}]"), Tristate::undetermined);
  EXPECT_EQ(verdict("fact: {family: D1, registers: any}"), Tristate::yes);
  EXPECT_EQ(verdict("fact: {family: D1, registers: known}"), Tristate::no);
  EXPECT_EQ(verdict("any: [fact: {family: D1, registers: 40}, pattern: P1]"), Tristate::yes);
  EXPECT_EQ(verdict("all: [fact: {family: D1, registers: 40}, pattern: P4]"), Tristate::no);
}

TEST(Signature, PatternsLanguageAndArchitecture) {
  EXPECT_EQ(verdict("pattern: P1"), Tristate::yes);
  EXPECT_EQ(verdict("pattern: P4"), Tristate::no);
  EXPECT_EQ(verdict("pattern: {id: P4, present: false}"), Tristate::yes);
  EXPECT_EQ(verdict("pattern: {id: P1, active: true}"), Tristate::yes);
  EXPECT_EQ(verdict("pattern: {id: P2, active: true}"), Tristate::undetermined);
  EXPECT_EQ(verdict("language: cute-dsl"), Tristate::yes);
  EXPECT_EQ(verdict("language: cute-cpp"), Tristate::no);
  EXPECT_EQ(verdict("arch: sm_90*"), Tristate::yes);
  evidence::Reading unknown = small_reading();
  unknown.arch.minimum.clear();
  EXPECT_EQ(match(signature("arch: sm_90*"), unknown).verdict, Tristate::undetermined);
}

TEST(Signature, Post3TheDecidingStatementsComeWithoutRepeats) {
  const Match result =
      match(signature("all: [pattern: P1, fact: {family: D2, kind: pipeline}]"), small_reading());
  ASSERT_EQ(result.verdict, Tristate::yes);
  ASSERT_EQ(result.at.size(), 1u);  // both at line 3
  EXPECT_EQ(result.at[0].line(), 3);
  EXPECT_TRUE(result.because.empty());
}

TEST(Signature, Post4AFailureNamesEachTermThatFailed) {
  const Match result =
      match(signature("all: [pattern: P1, pattern: P4, fact: {family: D6}]"), small_reading());
  ASSERT_EQ(result.because.size(), 2u);
  EXPECT_EQ(result.because[0], "{pattern: P4} does not hold");
  EXPECT_EQ(result.because[1], "{fact: {family: D6}} does not hold");
  EXPECT_TRUE(result.at.empty());
}

TEST(Signature, Post2UndeterminedNamesWhatItDependsOn) {
  const Match result = match(signature("fact: {family: D1, registers: 40}"), small_reading());
  ASSERT_EQ(result.because.size(), 1u);
  EXPECT_NE(result.because[0].find("load_warp at line 6"), std::string::npos) << result.because[0];
}

TEST(Signature, WhatASourceDoesNotTellNeverHoldsAndSaysWhy) {
  const Signature term = signature("untold: \"the plan chooses\"");
  const Match result = match(term, small_reading());
  EXPECT_EQ(result.verdict, Tristate::no);
  ASSERT_EQ(result.because.size(), 1u);
  EXPECT_NE(result.because[0].find("the plan chooses"), std::string::npos);
  EXPECT_EQ(signature(term.spelled()).spelled(), term.spelled());
}

struct BadSignature {
  const char* yaml;
  const char* wrong;
};
class SignatureErrors : public ::testing::TestWithParam<BadSignature> {};
TEST_P(SignatureErrors, AreSaidWithTheirPlace) {
  const auto yaml = parse_yaml(GetParam().yaml, "x.md", 7);
  ASSERT_TRUE(yaml.ok());
  const auto result = parse_signature(*yaml, "x.md");
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().wrong.find(GetParam().wrong), std::string::npos) << result.error().message();
  EXPECT_EQ(result.error().where.rfind("x.md:", 0), 0u);
}
INSTANTIATE_TEST_SUITE_P(
    All, SignatureErrors,
    ::testing::Values(BadSignature{"all: []", "a group has no terms"},
                      BadSignature{"al: [pattern: P1]", "unknown word 'al'"},
                      BadSignature{"untold: \"\"", "untold without a reason"},
                      BadSignature{"pattern: P11", "no pattern of the checklist"},
                      BadSignature{"pattern: P01", "no pattern of the checklist"},
                      BadSignature{"fact: {family: Z9}", "unknown fact family 'Z9'"},
                      BadSignature{"fact: {}", "a fact term is no map"},
                      BadSignature{"fact: {family: D2, count: many}", "count is no relation"},
                      BadSignature{"fact: {family: D2, stages: \"> many\"}", "is no number"},
                      BadSignature{"fact: {family: D2, stages: {a: 1}}", "is a map"},
                      BadSignature{"- pattern: P1", "the signature is no map"}));

}  // namespace
}  // namespace cutelab::knowledge
