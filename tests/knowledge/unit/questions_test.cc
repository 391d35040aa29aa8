#include "knowledge/questions.h"

#include <gtest/gtest.h>

namespace cutelab::knowledge {
namespace {
using evidence::Fact;
using evidence::Family;
using evidence::Reading;

Reading kernel() {
  Reading r;
  const auto add = [&](Family family, const char* kind, const char* subject, const char* says,
                       std::uint32_t line) {
    Fact f;
    f.family = family;
    f.kind = kind;
    f.subject = subject;
    f.says = says;
    f.at.span = {line * 10, line * 10 + 5, line, line, 1};
    r.facts.push_back(f);
    return r.facts.size() - 1;
  };
  add(Family::D1, "role", "load", "only where warp_idx == 4", 30);
  const auto budget = add(Family::D1, "register-budget", "cute.arch", "the role lowers its registers", 31);
  r.facts[budget].values["registers"] = evidence::literal(std::int64_t{40});
  r.facts[budget].role = "load";
  add(Family::D2, "pipeline", "mainloop_pipeline", "mainloop_pipeline: PipelineTmaAsync", 20);
  add(Family::D2, "pipeline", "epilogue_pipeline", "epilogue_pipeline: PipelineTmaStore", 21);
  add(Family::D2, "release", "mainloop_pipeline", "a stage is released", 50);
  r.arch.minimum = "sm_90a";
  r.arch.reason = "wgmma";
  return r;
}

class Questions : public ::testing::Test {
 protected:
  Answers ask(const std::string& question) {
    const auto terms = QuestionTerms::load(DiskFileSource(), std::string(CUTELAB_SOURCE_DIR) + "/data");
    EXPECT_TRUE(terms.ok());
    return terms->answer(question, kernel());
  }
};

TEST_F(Questions, RegistersAreAnsweredByTheBudgetWithItsLine) {
  const Answers a = ask("How many REGISTERS does the load role keep?");
  ASSERT_FALSE(a.found.empty());
  EXPECT_EQ(a.topics.front(), "registers");
  EXPECT_NE(a.found.front().text.find("registers = 40"), std::string::npos) << a.found.front().text;
  EXPECT_EQ(a.found.front().at.line(), 31);
}

TEST_F(Questions, ThePhraseWithMoreWordsComesFirst) {
  const Answers a = ask("who arrives on the empty barriers?");
  ASSERT_FALSE(a.topics.empty());
  EXPECT_EQ(a.topics.front(), "barriers and who arrives");
}

// Post-condition 3.
TEST_F(Questions, WhatTheQuestionNamesComesFirst) {
  const Answers a = ask("how does the epilogue_pipeline work as a pipeline?");
  ASSERT_FALSE(a.found.empty());
  bool seen_other = false;
  for (const Answer& one : a.found) {
    if (one.at.line() == 21) {
      EXPECT_FALSE(seen_other);
    }
    if (one.at.line() == 20) seen_other = true;
  }
  EXPECT_TRUE(seen_other);
}

TEST_F(Questions, ArchitectureHasItsReason) {
  const Answers a = ask("Does it run on Hopper?");
  ASSERT_FALSE(a.found.empty());
  EXPECT_EQ(a.found.front().text, "from sm_90a: wgmma");
}

// Post-condition 1.
TEST_F(Questions, AQuestionOfOtherThingsHasNoAnswer) {
  EXPECT_TRUE(ask("what is the weather like?").found.empty());
  EXPECT_TRUE(ask("").found.empty());
  EXPECT_TRUE(ask("is there online softmax here").topics.size() <= 1);
}

}  // namespace
}  // namespace cutelab::knowledge
