#include "compiled/ir.h"

#include <gtest/gtest.h>

namespace cutelab::compiled::ir {
namespace {

// Written by hand in the form the DSL prints.
constexpr const char* small = R"ir(!smem = !cute.memref<i8, smem, align<1024>, "2048:1">
#loc = loc(unknown)
#loc1 = loc("/k/gemm.py":10:0)
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @k(%arg0: !cute.tma<sm_90, box = <"(64,8):(1,64)">> {grid_constant} loc("Gemm"(#loc1)), %arg1: i32 loc(unknown)) attributes {nvvm.reqntid = array<i32: 128, 1, 1>} {
      %smem = cute.memref.alloca() {smem.struct_fields = ["full:16:0", "a\"{b:2:3"]} : !smem loc(#loc4)
      %c0 = arith.constant 0 : i32 loc(#loc4)
      %0:2 = scf.for %i = %c0 to %arg1 step %c0 iter_args(%x = %arg1, %y = %c0) -> (i32, i32)  : i32 {
        %1 = arith.addi %x, %i : i32 loc(#loc4)
        scf.yield %1, %y : i32, i32 loc(#loc4)
      } loc(#loc5)
      %2 = scf.if %arg1 -> (i32) {
        %1 = arith.muli %0#1, %c0 : i32 loc(#loc4)
        scf.yield %1 : i32 loc(#loc4)
      } else {
        scf.yield %c0 : i32 loc(#loc4)
      } loc(#loc4)
      return loc(#loc4)
    } loc(#loc1)
  } loc(#loc)
} loc(#loc)
#loc2 = loc("/lib/pipeline.py":642:30 to :56)
#loc3 = loc("/k/gemm.py":22:14)
#loc4 = loc(callsite("create"(#loc2) at "Gemm.kernel"(#loc3)))
#loc5 = loc(fused<"x">[#loc3, #loc2])
)ir";

const Operation& named(const Module& module, std::string_view name, int nth = 0) {
  for (const Operation& operation : module.operations)
    if (operation.name == name && nth-- == 0) return operation;
  static const Operation absent;
  ADD_FAILURE() << "no operation " << name;
  return absent;
}

TEST(Ir, OperationsRegionsAndValues) {
  const auto module = parse(small);
  ASSERT_TRUE(module) << module.error().message();
  EXPECT_EQ(module->operations.size(), 13u);
  const Operation& loop = named(*module, "scf.for");
  EXPECT_EQ(module->operations[loop.parent].name, "cuda.kernel");
  EXPECT_EQ(loop.end - module->index_of(loop), 3u);
  EXPECT_EQ(loop.results, 2u);
  const Operation& add = named(*module, "arith.addi");
  const SsaValue& x = module->values[module->operand(add, 0)];
  EXPECT_TRUE(x.argument);
  EXPECT_EQ(x.name, "%x");
  EXPECT_EQ(module->values[x.initial].name, "%arg1");
  EXPECT_EQ(module->values[x.initial].type, "i32");
  // %1 of the loop is gone; %0#1 is the loop's second result.
  const Operation& multiply = named(*module, "arith.muli");
  EXPECT_EQ(module->maker(module->operand(multiply, 0)), &loop);
  EXPECT_EQ(module->values[module->operand(multiply, 0)].result, 1u);
  EXPECT_EQ(named(*module, "cute.memref.alloca").line, 7u);
  EXPECT_EQ(module->aliases.at("!smem"), "!cute.memref<i8, smem, align<1024>, \"2048:1\">");
}

TEST(Ir, CallChainsFromTheInside) {
  const auto module = parse(small);
  ASSERT_TRUE(module);
  const auto chain = module->locations.chain(named(*module, "arith.addi").location);
  ASSERT_EQ(chain.size(), 2u);
  EXPECT_EQ(chain[0].function, "create");
  EXPECT_EQ(chain[0].path, "/lib/pipeline.py");
  EXPECT_EQ(chain[0].line, 642u);
  EXPECT_EQ(chain[1].function, "Gemm.kernel");
  EXPECT_EQ(chain[1].line, 22u);
  EXPECT_EQ(chain[1].column, 15u);
  EXPECT_EQ(module->locations.chain(named(*module, "scf.for").location)[0].line, 22u);
}

TEST(Ir, GenericFormAndTextWithoutLocations) {
  const auto module = parse(
      "\"builtin.module\"() ({\n  %0 = \"a.b\"() <{k = \"}\"}> : () -> i32\n"
      "  \"a.c\"(%0) ({\n  ^bb0(%x: f32):\n    \"a.d\"(%x) : (f32) -> ()\n  }, {\n  }) {n = 1 : i64} : (i32) "
      "-> ()\n"
      "}) : () -> ()\n");
  ASSERT_TRUE(module) << module.error().message();
  ASSERT_EQ(module->operations.size(), 4u);
  EXPECT_EQ(module->operations[2].name, "a.c");
  EXPECT_EQ(module->operations[3].parent, 2u);
  EXPECT_EQ(module->values[module->operand(module->operations[3], 0)].type, "f32");
}

TEST(Ir, ErrorsNameThePlace) {
  const auto wrong = [](std::string_view text) {
    const auto module = parse(text);
    EXPECT_FALSE(module) << text;
    return module ? std::string() : module.error().wrong + " at " + module.error().where;
  };
  EXPECT_EQ(wrong(""), "holds no operation at line 1, column 1");
  EXPECT_EQ(wrong("module {\n  func.func @f() {\n    return\n"),
            "the text ends inside 'func.func' of line 2 at line 4, column 1");
  EXPECT_EQ(wrong("a.b(\n"), "'(' is not closed at line 1, column 4");
  EXPECT_EQ(wrong("a.b \"x\n"), "a string is not closed at line 1, column 5");
  EXPECT_EQ(wrong("a.b (]\n"), "']' does not close '(' at line 1, column 6");
  EXPECT_EQ(wrong("a.b\n?\n"), "no operation begins with '?' at line 2, column 1");
  EXPECT_EQ(wrong("a.b\n%x, %y\n"), "values without '=' and an operation at line 2, column 1");
  EXPECT_EQ(wrong("a.b loc(\"x\n"), "a string is not closed at line 1, column 9");
  EXPECT_EQ(wrong("a.b loc(callsite(\n"), "a location is not closed at line 1, column 8");
}

TEST(Ir, DeepNestingAndRingsOfLocations) {
  std::string text;
  constexpr int depth = 100000;
  for (int i = 0; i < depth; ++i) text += "a.b {\n";
  for (int i = 0; i < depth; ++i) text += "}\n";
  const auto deep = parse(text);
  ASSERT_TRUE(deep);
  EXPECT_EQ(deep->operations.size(), static_cast<std::size_t>(depth));
  const auto ring = parse("a.b loc(#loc1)\n#loc1 = loc(callsite(#loc2 at #loc1))\n#loc2 = loc(\"f\":1:2)\n");
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->locations.chain(ring->operations[0].location, 5).size(), 5u);
  std::string nested = "a.b loc(";
  for (int i = 0; i < 1000; ++i) nested += "callsite(";
  nested += "\"f\":1:2";
  for (int i = 0; i < 1000; ++i) nested += " at unknown)";
  EXPECT_TRUE(parse(nested + ")\n"));
}

TEST(Ir, EveryPrefixAndEveryLostByteIsAnErrorOrAModule) {
  const std::string text(small);
  for (std::size_t n = 0; n < text.size(); ++n) {
    (void)parse(std::string_view(text).substr(0, n));
    std::string lost = text;
    lost.erase(n, 1);
    (void)parse(lost);
    lost = text;
    lost[n] = "%\"(<{}\n#"[n % 8];
    (void)parse(lost);
  }
}

}  // namespace
}  // namespace cutelab::compiled::ir
