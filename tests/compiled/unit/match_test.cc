#include "compiled/match.h"

#include <gtest/gtest.h>

#include "compiled/compare.h"
#include "compiled/ir_reader.h"

namespace cutelab::compiled {
namespace {
using evidence::Agreement;
using evidence::Fact;
using evidence::Family;
using evidence::literal;
using Values = std::map<std::string, evidence::Value>;

evidence::Location span(int first, int last, int file = 0) {
  evidence::Location at;
  at.file = file;
  at.span.line = static_cast<std::uint32_t>(first);
  at.span.end_line = static_cast<std::uint32_t>(last);
  at.span.column = 1;
  return at;
}

Fact made(Family family, const char* kind, const char* subject, evidence::Location at, Values values = {}) {
  Fact fact;
  fact.family = family;
  fact.kind = kind;
  fact.subject = subject;
  fact.at = at;
  fact.values = std::move(values);
  return fact;
}

evidence::Value number(std::int64_t n) { return literal(n); }

evidence::Value passed(std::int64_t n, const char* formula) {
  evidence::Value value = literal(n);
  value.formula = formula;
  return value;
}

const evidence::ComparedFact& at_line(const Merged& merged, int line, const std::string& kind) {
  for (const auto& candidate : merged.comparison.facts)
    if (candidate.kind == kind && candidate.at.line() == line) return candidate;
  ADD_FAILURE() << "no entry of " << kind << " at " << line;
  static const evidence::ComparedFact absent;
  return absent;
}

Fact named_barrier(int line, std::int64_t id, std::int64_t threads) {
  Fact fact = made(Family::D5, "barrier", "self.b", span(line, line),
                   {{"id", number(id)}, {"threads", number(threads)}});
  fact.says = "named barrier (NamedBarrier)";
  return fact;
}

TEST(MatchObjects, ANamedBarrierIsTheHardwaresOfItsNumber) {
  evidence::Reading source;
  source.facts = {named_barrier(3, 1, 64), named_barrier(4, 2, 64), named_barrier(5, 7, 32)};
  // sync(barrier_id=2) in a function of which nothing was compiled makes no object.
  source.facts.push_back(made(Family::D5, "barrier", "pipeline", span(90, 90), {{"id", number(2)}}));
  IrReading module;
  module.facts = {made(Family::D5, "barrier", "", span(40, 40),
                       {{"id", stated(std::int64_t{1})}, {"threads", stated(std::int64_t{64})}}),
                  made(Family::D5, "barrier", "", span(41, 41),
                       {{"id", stated(std::int64_t{2})}, {"threads", stated(std::int64_t{96})}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(at_line(merged, 3, "barrier").agreement, Agreement::agree);
  EXPECT_EQ(at_line(merged, 3, "barrier").reason, "the barrier of its number: line 40");
  EXPECT_EQ(at_line(merged, 4, "barrier").agreement, Agreement::differ)
      << "the source says 64, the compiler 96";
  EXPECT_EQ(at_line(merged, 5, "barrier").agreement, Agreement::source_only);
  EXPECT_EQ(at_line(merged, 90, "barrier").agreement, Agreement::source_only);
  EXPECT_EQ(merged.comparison.count(Agreement::compiled_only), 0) << "both answer to objects";
}

TEST(MatchObjects, OfTwoBarriersWithOneNumberEachHasItsOwnThreads) {
  evidence::Reading source;
  source.facts = {named_barrier(3, 1, 64), named_barrier(4, 1, 128)};
  IrReading module;
  module.facts = {made(Family::D5, "barrier", "", span(40, 40),
                       {{"id", stated(std::int64_t{1})}, {"threads", stated(std::int64_t{128})}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(at_line(merged, 3, "barrier").agreement, Agreement::source_only);
  EXPECT_EQ(at_line(merged, 4, "barrier").agreement, Agreement::agree);
}

TEST(MatchObjects, AnOperationOfAnMmaIsAnsweredByTheAtomMadeOfIt) {
  evidence::Reading source;
  evidence::Function one, other;
  one.at = span(1, 20);
  other.at = span(21, 40);
  source.functions = {one, other};
  source.facts = {made(Family::D4, "mma", "op", span(5, 9),
                       {{"operation", literal("MmaF16BF16Op")}, {"family", literal("wgmma")}}),
                  made(Family::D4, "mma", "tiled", span(12, 12), {{"family", literal("tcgen05")}}),
                  made(Family::D4, "mma", "op", span(25, 25), {{"operation", literal("MmaF16BF16Op")}})};
  IrReading module;
  module.facts = {made(Family::D4, "mma", "", span(12, 12), {{"family", stated("tcgen05")}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(at_line(merged, 5, "mma").agreement, Agreement::differ)
      << "the source says wgmma, the compiler tcgen05";
  EXPECT_EQ(at_line(merged, 5, "mma").reason, "the atom made of it: line 12");
  EXPECT_EQ(at_line(merged, 12, "mma").agreement, Agreement::agree);
  EXPECT_EQ(at_line(merged, 25, "mma").agreement, Agreement::source_only) << "another function";
}

TEST(MatchObjects, ATasksRegistersAreSetWhereTheSchedulerRunsIt) {
  evidence::Reading source;
  for (const int registers : {40, 160, 72})
    source.facts.push_back(made(Family::D1, "register-budget", "task", span(registers, registers),
                                {{"registers", number(registers)}, {"action", literal("change")}}));
  IrReading module;
  for (const int registers : {40, 160})
    module.facts.push_back(made(Family::D1, "register-budget", "", span(500, 500),
                                {{"registers", stated(static_cast<std::int64_t>(registers))},
                                 {"action", stated("decrease")},
                                 {"through", stated("TaskManager.run > Task._set_max_register")}}));
  const Merged merged = compare(source, {module});
  EXPECT_EQ(at_line(merged, 40, "register-budget").agreement, Agreement::agree);
  EXPECT_EQ(at_line(merged, 160, "register-budget").agreement, Agreement::agree);
  EXPECT_EQ(at_line(merged, 72, "register-budget").agreement, Agreement::source_only)
      << "the source says 72 registers, the compiler sets 40 and 160";
}

TEST(MatchObjects, AnAllocatorIsAnsweredByWhatItAllocates) {
  evidence::Reading source;
  source.facts = {
      made(Family::D4, "tmem-allocator", "tmem", span(3, 6)),
      made(Family::D4, "tensor-memory-allocation", "tmem", span(8, 8), {{"columns", number(512)}}),
      made(Family::D4, "tmem-allocator", "unused", span(7, 7))};
  IrReading module;
  module.facts = {
      made(Family::D4, "tensor-memory-allocation", "", span(8, 8), {{"columns", stated(std::int64_t{512})}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(at_line(merged, 3, "tmem-allocator").reason, "what it allocates: line 8");
  EXPECT_EQ(merged.comparison.facts.size(), 2u)
      << "an allocator without an answer is no operation that is missing";
}

TEST(MatchObjects, ANumberIsAnsweredWhereItsNameIsPassedOn) {
  evidence::Reading source;
  source.facts = {
      made(Family::H3, "stages", "num_stage", span(2, 2), {{"stages", number(3)}}),
      made(Family::H3, "stages", "num_stage", span(4, 4), {{"stages", number(4)}}),
      made(Family::H3, "stages", "self.epi_stage", span(5, 5), {{"stages", number(2)}}),
      made(Family::D2, "transaction-bytes", "self.bytes", span(6, 6),
           {{"bytes", evidence::undetermined("needs evaluation", {}, {}, "a + b")}}),
      made(Family::H3, "stages", "alone", span(7, 7), {{"stages", number(9)}}),
      made(Family::D2, "pipeline", "load", span(20, 24),
           {{"stages", passed(4, "self.num_stage")}, {"bytes", passed(64, "self.bytes")}}),
      made(Family::D2, "pipeline", "store", span(30, 30), {{"stages", passed(2, "self.epi_stage")}})};
  IrReading module;
  module.facts = {made(Family::D2, "pipeline", "", span(22, 22),
                       {{"stages", stated(std::int64_t{4})},
                        {"bytes", stated(std::int64_t{64})},
                        {"arrivals", stated("x")}}),
                  made(Family::D2, "pipeline", "", span(30, 30), {{"stages", stated(std::int64_t{5})}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(at_line(merged, 4, "stages").agreement, Agreement::agree) << "the number that is passed on";
  EXPECT_EQ(at_line(merged, 4, "stages").reason, "passed on by its name: line 22");
  EXPECT_EQ(at_line(merged, 5, "stages").agreement, Agreement::differ) << "the source says 2, the compiler 5";
  EXPECT_EQ(at_line(merged, 6, "transaction-bytes").agreement, Agreement::filled);
  EXPECT_EQ(merged.reading.facts[3].values.at("bytes").integer(), 64);
  EXPECT_FALSE(merged.reading.facts[3].values.contains("arrivals")) << "one value answers, not all";
  EXPECT_EQ(merged.comparison.facts.size(), 5u)
      << "neither the number replaced at 4 nor the one nobody passes on";
}

TEST(MatchObjects, AnEarlierStepOfAnUnknownNumberIsNoDifference) {
  evidence::Reading source;
  const auto open = evidence::undetermined("needs evaluation", {}, {}, "self.num_c_stage");
  source.facts = {
      made(Family::H3, "stages", "num_c_stage", span(2, 2), {{"stages", number(2)}}),
      made(Family::H3, "stages", "num_c_stage", span(9, 9),
           {{"stages", evidence::undetermined("needs evaluation", {}, {}, "num_c_stage + rest")}}),
      made(Family::D2, "pipeline", "store", span(30, 30), {{"stages", open}})};
  IrReading module;
  module.facts = {made(Family::D2, "pipeline", "", span(30, 30), {{"stages", stated(std::int64_t{3})}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(at_line(merged, 9, "stages").agreement, Agreement::filled);
  EXPECT_EQ(merged.reading.facts[0].values.at("stages").integer(), 2) << "the first step stays what it is";
  for (const auto& fact : merged.comparison.facts) EXPECT_NE(fact.agreement, Agreement::differ);
  source.facts.erase(source.facts.begin() + 1);
  EXPECT_EQ(at_line(compare(source, {module}), 2, "stages").agreement, Agreement::differ)
      << "the only statement that gives the number";
}

TEST(Match, LesserFactsAnswerAndAreNothingOfTheirOwn) {
  evidence::Reading source;
  source.facts = {
      made(Family::D6, "shared-layout", "a", span(3, 4), {{"layout", literal("(8,4):(1,8)")}}),
      made(Family::D4, "accumulator", "x", span(9, 12), {{"accumulator", literal("tensor-memory")}}),
      made(Family::D4, "accumulator", "y", span(9, 12), {{"accumulator", literal("registers")}})};
  IrReading module;
  module.lesser = {
      made(Family::D6, "shared-layout", "", span(3, 3), {{"layout", stated("(8,4):(4,1)")}}),
      made(Family::D4, "accumulator", "", span(10, 10), {{"accumulator", stated("registers")}}),
      made(Family::D4, "accumulator", "", span(11, 11), {{"accumulator", stated("tensor-memory")}}),
      made(Family::D6, "shared-layout", "", span(50, 50), {{"layout", stated("1:0")}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(at_line(merged, 3, "shared-layout").agreement, Agreement::differ)
      << "the source says (8,4):(1,8), the compiler (8,4):(4,1)";
  EXPECT_EQ(merged.comparison.count(Agreement::agree), 2)
      << "one statement that makes two is answered for both";
  EXPECT_EQ(merged.comparison.count(Agreement::compiled_only), 0);
  EXPECT_TRUE(merged.compiled.empty());
  EXPECT_EQ(merged.reading.facts.size(), source.facts.size());
}

TEST(Match, EqualFactsOfOneModuleAreSeveralAndOfTwoModulesOne) {
  evidence::Reading source;
  const auto load = [] { return made(Family::D3, "copy", "", {}, {{"operation", stated("tma-load")}}); };
  source.facts = {made(Family::D3, "copy", "a", span(3, 3)), made(Family::D3, "copy", "b", span(4, 4))};
  IrReading module;
  module.facts = {load(), load()};
  const Merged merged = compare(source, {module, module});
  EXPECT_EQ(merged.comparison.count(Agreement::agree), 2);
}

TEST(Match, WithoutLinesAStoresPipelineIsItsBulkGroups) {
  evidence::Reading source;
  const Values store = {{"class", literal("TMAStorePipeline")}};
  const Values load = {{"class", literal("TMAToUMMAPipeline")}};
  source.facts = {made(Family::D2, "acquire", "load", span(3, 3), load),
                  made(Family::D2, "acquire", "store", span(4, 4), store),
                  made(Family::D2, "commit", "store", span(5, 5), store),
                  made(Family::D2, "tail", "store", span(6, 6), store),
                  made(Family::H2, "launch", "Gemm.kernel", span(1, 2), {{"threads", number(192)}})};
  IrReading module;
  module.facts = {made(Family::D2, "acquire", "", {}),
                  made(Family::D3, "copy-group", "bulk", {}, {{"pending", stated(std::int64_t{3})}}),
                  made(Family::D3, "copy-group", "bulk", {}),
                  made(Family::D3, "copy-group", "bulk", {}, {{"pending", stated(std::int64_t{0})}}),
                  made(Family::H2, "launch", "Gemm", span(9, 9), {{"threads", stated(std::int64_t{160})}})};
  const Merged merged = compare(source, {module});
  for (const int line : {3, 4, 5})
    EXPECT_EQ(at_line(merged, line, line == 5 ? "commit" : "acquire").agreement, Agreement::agree) << line;
  EXPECT_EQ(at_line(merged, 6, "tail").agreement, Agreement::agree);
  EXPECT_EQ(at_line(merged, 1, "launch").agreement, Agreement::differ)
      << "the source says 192, the compiler 160";
  EXPECT_EQ(merged.comparison.count(Agreement::compiled_only), 0);
}

TEST(Match, TextsThatNameAlternativesAndExtentsWithoutTheirOnes) {
  const auto list = [](std::vector<std::int64_t> numbers) {
    std::vector<evidence::Value> items;
    for (const std::int64_t n : numbers) items.push_back(stated(n));
    return stated(std::move(items));
  };
  EXPECT_TRUE(equal("grid", list({16, 64}), list({16, 64, 1})));
  EXPECT_FALSE(equal("grid", list({16, 64}), list({16, 64, 2})));
  EXPECT_FALSE(equal("shape", list({16, 64}), list({16, 64, 1}))) << "an MMA has three extents";
  const auto open = literal("cp-async or plain, by the call");
  EXPECT_TRUE(equal("operation", open, stated("cp-async")));
  EXPECT_FALSE(equal("operation", open, stated("tma-load"))) << "the source says cp-async or plain";
  EXPECT_FALSE(equal("class", literal("a or b"), stated("b")));
}

TEST(Match, SaysHowFarTheLineCame) {
  evidence::Reading source;
  source.files.resize(2);
  evidence::Function compiled, reference;
  compiled.at = span(1, 20);
  reference.at = span(30, 40);
  source.functions = {compiled, reference};
  source.facts = {made(Family::D5, "fence", "a", span(5, 5)), made(Family::D5, "fence", "b", span(8, 8)),
                  made(Family::D5, "fence", "c", span(35, 35)),
                  made(Family::D4, "tmem-release", "t", span(12, 12))};
  IrReading module;
  module.lines = {{0, 4}, {0, 8}, {0, 12}, {1, 35}};
  module.facts = {
      made(Family::D4, "tmem-release", "", span(12, 12)),
      made(Family::D5, "mbarrier", "", span(12, 12), {{"through", stated("free > mbarrier_wait")}}),
      made(Family::D5, "fence", "", span(35, 35, 1))};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(at_line(merged, 5, "fence").reason, "no operation comes from this line");
  EXPECT_EQ(at_line(merged, 8, "fence").reason, "this line compiles to no operation of its kind");
  EXPECT_EQ(at_line(merged, 35, "fence").reason,
            "nothing of its function was compiled in this configuration");
  EXPECT_EQ(at_line(merged, 12, "mbarrier").reason,
            "part of the tmem-release here, through free > mbarrier_wait");
  EXPECT_EQ(merged.comparison.facts.back().reason, "in another file of the program");
}

}  // namespace
}  // namespace cutelab::compiled
