#include "compiled/code_facts.h"

#include <gtest/gtest.h>

#include "evidence/names.h"

namespace cutelab::compiled {
namespace {

InstructionMix mix(int other, int hgmma, int local_stores = 0) {
  InstructionMix made;
  made.total = other + hgmma + local_stores;
  if (other) made.by_class["other"] = made.by_opcode["IADD3"] = other;
  if (hgmma) made.by_class["HGMMA"] = made.by_opcode["HGMMA"] = hgmma;
  if (local_stores) made.by_class["STL 32-bit"] = made.by_opcode["STL"] = local_stores;
  return made;
}

CodeOfKernel sample() {
  CodeOfKernel of;
  of.code.function = "k_0";
  of.code.barriers = 3;
  of.code.lines = {{"/k/gemm.py", 12, mix(2, 4)},
                   {"/lib/x.py", 7, mix(5, 0)},
                   {"", 0, mix(1, 0)},
                   {"/k/help.py", 3, mix(0, 0, 6)}};
  of.code.mix = mix(8, 4, 6);
  of.resources.registers = 168;
  of.resources.stack_bytes = 24;
  return of;
}

IrReading module() {
  IrReading made;
  IrKernel kernel;
  kernel.name = "Gemm.kernel";
  kernel.symbol = "k_0";
  kernel.at.span.line = kernel.at.span.end_line = 9;
  made.kernels = {kernel};
  return made;
}

TEST(CodeFacts, LinesAndUnplacedAddUpToTheKernel) {
  IrReading reading = module();
  add_code_facts({sample()}, {"/k/gemm.py", "/k/help.py"}, reading);
  ASSERT_EQ(reading.facts.size(), 3u);
  const evidence::Fact& line = reading.facts[0];
  EXPECT_EQ(line.kind, evidence::kind::instructions);
  EXPECT_EQ(line.at.line(), 12);
  EXPECT_TRUE(line.optional);
  EXPECT_EQ(line.values.at("mix").text(), "HGMMA 4");
  EXPECT_FALSE(line.values.contains("local_stores"));
  EXPECT_EQ(reading.facts[1].at.file, 1);
  EXPECT_EQ(reading.facts[1].values.at("local_stores").integer(), 6);
  EXPECT_NE(reading.facts[1].says.find("local memory: 0 loads, 6 stores"), std::string::npos);
  const evidence::Fact& kernel = reading.facts[2];
  EXPECT_EQ(kernel.kind, evidence::kind::machine_code);
  EXPECT_EQ(kernel.at.line(), 9);
  EXPECT_EQ(kernel.values.at("registers").integer(), 168);
  EXPECT_EQ(kernel.values.at("unplaced").integer(), 6);
  std::int64_t all = *kernel.values.at("unplaced").integer();
  for (const evidence::Fact& fact : reading.facts)
    if (fact.kind == evidence::kind::instructions) all += *fact.values.at("instructions").integer();
  EXPECT_EQ(all, kernel.values.at("instructions").integer());
  for (const evidence::Fact& fact : reading.facts) EXPECT_EQ(fact.known_by, evidence::KnownBy::compiled);
}

TEST(CodeFacts, CodeOfAnotherKernelIsPassedOver) {
  IrReading reading = module();
  reading.kernels[0].symbol = "k_1";
  add_code_facts({sample()}, {"/k/gemm.py"}, reading);
  EXPECT_TRUE(reading.facts.empty());
}

}  // namespace
}  // namespace cutelab::compiled
