#include "compiled/compare.h"

#include <gtest/gtest.h>

#include "compiled/ir_reader.h"

namespace cutelab::compiled {
namespace {
using evidence::Agreement;
using evidence::Fact;
using evidence::Family;

evidence::Location lines(int first, int last, int file = 0) {
  evidence::Location at;
  at.file = file;
  at.span.line = static_cast<std::uint32_t>(first);
  at.span.end_line = static_cast<std::uint32_t>(last);
  at.span.column = 1;
  return at;
}

Fact fact(Family family, const char* kind, const char* subject, evidence::Location at,
          std::map<std::string, evidence::Value> values = {}) {
  Fact made;
  made.family = family;
  made.kind = kind;
  made.subject = subject;
  made.at = at;
  made.values = std::move(values);
  return made;
}

evidence::Value unknown() { return evidence::undetermined("needs evaluation", {}, {}, "self.stages"); }

const evidence::ComparedFact& entry(const Merged& merged, const std::string& kind,
                                    const std::string& subject) {
  for (const auto& candidate : merged.comparison.facts)
    if (candidate.kind == kind && candidate.subject == subject) return candidate;
  ADD_FAILURE() << "no entry of " << kind << " " << subject;
  static const evidence::ComparedFact absent;
  return absent;
}

TEST(Compare, AgreesDiffersAndFillsByStatement) {
  evidence::Reading source;
  source.facts = {
      fact(Family::D2, "pipeline", "a", lines(10, 14),
           {{"stages", unknown()}, {"bytes", evidence::literal(std::int64_t{64})}}),
      fact(Family::D2, "pipeline", "b", lines(20, 20), {{"stages", evidence::literal(std::int64_t{3})}}),
      fact(Family::D4, "gemm", "c", lines(30, 30))};
  IrReading module;
  module.facts = {fact(Family::D2, "pipeline", "x", lines(12, 12),
                       {{"stages", stated(std::int64_t{4})}, {"bytes", stated(std::int64_t{64})}}),
                  fact(Family::D2, "pipeline", "y", lines(20, 20),
                       {{"stages", stated(std::int64_t{2})}, {"new", stated("value")}}),
                  fact(Family::D5, "barrier", "", lines(40, 40), {{"id", stated(std::int64_t{1})}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(entry(merged, "pipeline", "a").agreement, Agreement::filled);
  EXPECT_EQ(entry(merged, "pipeline", "b").agreement, Agreement::differ);
  EXPECT_EQ(entry(merged, "gemm", "c").agreement, Agreement::source_only);
  EXPECT_EQ(entry(merged, "barrier", "").agreement, Agreement::compiled_only);
  EXPECT_EQ(merged.comparison.count(Agreement::differ), 1);
  // Filled and marked; what the source knows stays; what only the compiler knows is added.
  const auto& stages = merged.reading.facts[0].values.at("stages");
  EXPECT_EQ(stages.integer(), 4);
  EXPECT_EQ(stages.known_by, evidence::KnownBy::compiled);
  EXPECT_EQ(stages.formula, "self.stages");
  EXPECT_EQ(merged.reading.facts[1].values.at("stages").integer(), 3);
  EXPECT_EQ(merged.reading.facts[1].values.at("new").known_by, evidence::KnownBy::compiled);
  ASSERT_EQ(merged.reading.facts.size(), 4u);
  EXPECT_EQ(merged.reading.facts[3].kind, "barrier");
}

TEST(Compare, FollowsTheCallChainToEveryStatementOnIt) {
  evidence::Reading source;
  source.files.resize(2);
  source.facts = {fact(Family::H1, "tma-descriptor", "in the helper", lines(90, 95)),
                  fact(Family::H1, "tma-descriptor", "a", lines(10, 12), {{"multicast", unknown()}}),
                  fact(Family::H1, "tma-descriptor", "b", lines(20, 22), {{"multicast", unknown()}})};
  const auto through = [](int line) {
    evidence::Value value = stated("make_tiled_tma_atom");
    value.origins = {lines(line, line)};
    return value;
  };
  IrReading module;
  module.facts = {fact(Family::H1, "tma-descriptor", "", lines(90, 90),
                       {{"multicast", stated(false)}, {"through", through(11)}}),
                  fact(Family::H1, "tma-descriptor", "", lines(90, 90),
                       {{"multicast", stated(true)}, {"through", through(21)}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(merged.comparison.facts.size(), 3u);
  EXPECT_EQ(merged.reading.facts[1].values.at("multicast").boolean(), false);
  EXPECT_EQ(merged.reading.facts[2].values.at("multicast").boolean(), true);
  EXPECT_FALSE(merged.reading.facts[0].values.contains("multicast"))
      << "the two calls state different values";
}

TEST(Compare, MembersStructsAndObjectsMadeElsewhereByName) {
  evidence::Reading source;
  source.facts = {
      fact(Family::H3, "storage", "Shared", lines(5, 9), {{"bytes", evidence::literal(std::int64_t{128})}}),
      fact(Family::H3, "storage-member", "sA", lines(6, 6),
           {{"bytes", unknown()}, {"struct", evidence::literal("Shared")}}),
      fact(Family::H3, "allocation", "storage", lines(20, 20), {{"type", evidence::literal("Shared")}}),
      fact(Family::D5, "barrier", "self.done", lines(3, 3)),
      fact(Family::D5, "barrier", "self.done", lines(30, 30)),
      fact(Family::D5, "barrier", "cute.arch", lines(31, 31)),
      fact(Family::D5, "barrier", "cute.arch", lines(32, 32)),
      fact(Family::D2, "pipeline", "store", lines(25, 25),
           {{"class", evidence::literal("PipelineTmaStore")},
            {"stages", evidence::literal(std::int64_t{2})}})};
  IrReading module;
  module.facts = {
      fact(Family::H3, "storage", "", lines(20, 20), {{"bytes", stated(std::int64_t{128})}}),
      fact(Family::H3, "storage-member", "sA", lines(20, 20), {{"bytes", stated(std::int64_t{64})}}),
      fact(Family::H3, "allocation", "", lines(20, 20), {{"bytes", stated(std::int64_t{128})}}),
      fact(Family::D5, "barrier", "", lines(30, 30), {{"id", stated(std::int64_t{2})}}),
      fact(Family::D5, "barrier", "", lines(31, 31)),
      fact(Family::D2, "pipeline", "PipelineTmaStore", lines(40, 40),
           {{"class", stated("PipelineTmaStore")}, {"stages", stated(std::int64_t{2})}})};
  const Merged merged = compare(source, {module, module});
  EXPECT_EQ(entry(merged, "storage", "Shared").agreement, Agreement::agree);
  EXPECT_EQ(entry(merged, "storage-member", "sA").agreement, Agreement::filled);
  EXPECT_EQ(entry(merged, "pipeline", "store").agreement, Agreement::agree);
  EXPECT_EQ(merged.reading.facts[3].values.at("id").integer(), 2);
  EXPECT_EQ(merged.comparison.count(Agreement::source_only), 1) << "the barrier at 32 was not compiled";
  EXPECT_EQ(merged.comparison.count(Agreement::compiled_only), 0);
}

TEST(Compare, KernelsCarryTheReadingsName) {
  evidence::Reading source;
  evidence::Function kernel;
  kernel.name = "Gemm.kernel";
  kernel.kind = evidence::Function::Kind::kernel;
  kernel.at = lines(12, 50);
  source.functions = {kernel};
  IrReading module;
  module.kernels = {{"SubclassOfGemm.kernel", "k_0", lines(11, 11), 0}};
  module.facts = {fact(Family::D5, "barrier", "", lines(20, 20), {{"id", stated(std::int64_t{1})}}),
                  fact(Family::D5, "barrier", "", lines(20, 20),
                       {{"id", stated(std::int64_t{1})}, {"through", stated("another call")}})};
  for (Fact& made : module.facts) made.kernel = "SubclassOfGemm.kernel";
  const Merged merged = compare(source, {module});
  ASSERT_EQ(merged.reading.facts.size(), 2u);
  EXPECT_EQ(merged.reading.facts[0].kernel, "Gemm.kernel");
  EXPECT_EQ(merged.comparison.facts.size(), 1u) << "one line is told once";
}

TEST(Compare, SaysWhyNothingWasCompiled) {
  evidence::Reading source;
  source.facts = {
      fact(Family::D2, "commit", "p", lines(5, 5), {{"class", evidence::literal("PipelineTmaAsync")}}),
      fact(Family::D3, "copy", "off", lines(6, 6), {{"active", evidence::literal(false)}}),
      fact(Family::H2, "grid", "never an operation", lines(7, 7))};
  const Merged merged = compare(source, {IrReading{}});
  ASSERT_EQ(merged.comparison.facts.size(), 2u);
  EXPECT_EQ(merged.comparison.facts[0].reason, "compiles to nothing: the TMA unit arrives by itself");
  EXPECT_EQ(merged.comparison.facts[1].reason, "off in this configuration");
}

TEST(Compare, FactsWithoutALineJoinByKindAndOrderOrNotAtAll) {
  evidence::Reading source;
  const auto stages = [](std::int64_t n) {
    return std::map<std::string, evidence::Value>{{"stages", evidence::literal(n)}};
  };
  source.facts = {
      fact(Family::D2, "pipeline", "second", lines(20, 20), {{"stages", unknown()}}),
      fact(Family::D2, "pipeline", "first", lines(10, 10), stages(2)),
      fact(Family::D4, "gemm", "one", lines(30, 30)),
      fact(Family::D3, "copy", "load", lines(40, 40), {{"operation", evidence::literal("tma-load")}})};
  IrReading module;
  module.facts = {fact(Family::D2, "pipeline", "", {}, {{"stages", stated(std::int64_t{2})}}),
                  fact(Family::D2, "pipeline", "", {}, {{"stages", stated(std::int64_t{4})}}),
                  fact(Family::D4, "gemm", "a", {}), fact(Family::D4, "gemm", "b", {}),
                  fact(Family::D3, "copy", "", {}, {{"operation", stated("tma-store")}})};
  const Merged merged = compare(source, {module});
  EXPECT_EQ(entry(merged, "pipeline", "first").agreement, Agreement::agree);
  EXPECT_EQ(entry(merged, "pipeline", "first").reason,
            "joined by kind and order: the compiler's form states no lines");
  EXPECT_EQ(entry(merged, "pipeline", "second").agreement, Agreement::filled);
  EXPECT_EQ(entry(merged, "gemm", "one").agreement, Agreement::source_only) << "two could be meant";
  EXPECT_EQ(entry(merged, "gemm", "one").reason,
            "no location: the compiler's form of the kernel states no lines");
  EXPECT_EQ(entry(merged, "copy", "load").agreement, Agreement::source_only) << "a value speaks against it";
  EXPECT_EQ(entry(merged, "gemm", "a").agreement, Agreement::compiled_only);
  EXPECT_EQ(entry(merged, "gemm", "a").reason, "no location");
}

TEST(Compare, WhatOnlyTheCompilerSaysKeepsItsChain) {
  IrReading module;
  module.facts = {
      fact(Family::D2, "wait", "", lines(7, 7), {{"through", stated("Manager.run > Task.wait")}})};
  const Merged merged = compare(evidence::Reading{}, {module});
  EXPECT_EQ(entry(merged, "wait", "").reason, "through Manager.run > Task.wait");
}

TEST(Compare, MachineCodeIsMergedButNotCompared) {
  IrReading module;
  module.facts = {
      fact(Family::M1, "machine-code", "k", lines(3, 3), {{"registers", stated(std::int64_t{64})}})};
  const Merged merged = compare(evidence::Reading{}, {module});
  EXPECT_TRUE(merged.comparison.facts.empty());
  ASSERT_EQ(merged.reading.facts.size(), 1u);
  EXPECT_EQ(merged.compiled, module.facts);
}

}  // namespace
}  // namespace cutelab::compiled
