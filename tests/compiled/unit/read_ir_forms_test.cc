#include "compiled/read_ir.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace cutelab::compiled {
namespace {

// Written by hand in the form of a kernel of cute_ext: no operation of it has a location.
constexpr const char* without_lines =
    R"ir(!tile = !cute.memref<f32, smem, align<1024>, S<3,4,3>, "(8,32):(32,1)">
#loc = loc(unknown)
#loc2 = loc("Gemm"("/k/gemm.py":9:0))
module {
  gpu.module @kernels {
    lir.func public @k_0(%arg0: !x loc(unknown)) {
      %c1 = arith.constant 1 : i32 loc(#loc)
      %c9 = arith.constant 9 : i32 loc(#loc)
      %0 = allocate_buffer() : !tile loc(#loc)
      %1 = create_pipeline(%c1, %c9) : (i32, i32) -> !lir.pipeline<3, SM90_TMA_LOAD -> SM100_MMA_1SM_SS, cta> loc(#loc)
      %2 = lir.producer_acquire(%1, %c1) : (!lir.pipeline<3, SM90_TMA_LOAD -> SM100_MMA_1SM_SS, cta>, !s) -> !s loc(#loc)
      lir.tma_load(%0, %0, %1) {kind = #k} : !tile, !tile, !p loc(#loc)
      lir.tma_load(%0, %0, %1) {kind = #k} : !tile, !tile, !p loc(#loc)
      %3 = lir.consumer_release<elect_one_sync>(%1, %c1) : (!lir.pipeline<3, SM90_TMA_LOAD -> SM100_MMA_1SM_SS, cta>, !s) -> !s loc(#loc)
    } loc(#loc2)
  } loc(#loc)
} loc(#loc)
)ir";

TEST(ReadIrForms, AKernelWhoseFormStatesNoLinesHasFactsWithoutPlaces) {
  const auto reading = read_ir(without_lines, {"/k/gemm.py"});
  ASSERT_TRUE(reading) << reading.error().message();
  ASSERT_EQ(reading->kernels.size(), 1u);
  EXPECT_TRUE(reading->kernels[0].without_lines);
  EXPECT_EQ(reading->kernels[0].at.line(), 9);
  std::map<std::string, int> kinds;
  for (const evidence::Fact& fact : reading->facts) {
    EXPECT_FALSE(fact.at.known()) << fact.kind;
    ++kinds[fact.kind];
    if (fact.kind == "pipeline") {
      EXPECT_EQ(fact.values.at("stages").integer(), 3);
      EXPECT_EQ(fact.values.at("consumer_arrivals").integer(), 9);
      EXPECT_EQ(fact.values.at("between").text(), "SM90_TMA_LOAD -> SM100_MMA_1SM_SS");
    }
    if (fact.kind == "allocation") {
      EXPECT_EQ(fact.values.at("bytes").integer(), 1024);
    }
  }
  EXPECT_EQ(kinds, (std::map<std::string, int>{
                       {"acquire", 1}, {"allocation", 1}, {"copy", 2}, {"pipeline", 1}, {"release", 1}}));
}

constexpr const char* encoded = R"ir(#loc1 = loc("/k/gemm.py":5:4)
module {
  func.func @host(%arg0: i64) {
    %c64 = arith.constant 64 : i32 loc(#loc1)
    %c128 = arith.constant 128 : i32 loc(#loc1)
    %c6 = arith.constant 6 : i32 loc(#loc1)
    %c3 = arith.constant 3 : i32 loc(#loc1)
    %box = llvm.alloca %c6 x i32 : (i32) -> !llvm.ptr loc(#loc1)
    %other = llvm.alloca %c6 x i32 : (i32) -> !llvm.ptr loc(#loc1)
    %p0 = llvm.getelementptr %box[0] : (!llvm.ptr) -> !llvm.ptr, i32 loc(#loc1)
    llvm.store %c64, %p0 {alignment = 4 : i64} : i32, !llvm.ptr loc(#loc1)
    %p1 = llvm.getelementptr %box[1] : (!llvm.ptr) -> !llvm.ptr, i32 loc(#loc1)
    llvm.store %c128, %p1 {alignment = 4 : i64} : i32, !llvm.ptr loc(#loc1)
    %q1 = llvm.getelementptr %other[1] : (!llvm.ptr) -> !llvm.ptr, i32 loc(#loc1)
    llvm.store %c3, %q1 {alignment = 4 : i64} : i32, !llvm.ptr loc(#loc1)
    %b = llvm.getelementptr %box[0] : (!llvm.ptr) -> !llvm.ptr, i32 loc(#loc1)
    %o = llvm.getelementptr %other[0] : (!llvm.ptr) -> !llvm.ptr, i32 loc(#loc1)
    %r, %map = cuda.tensor_map_encode_tiled data_type = %c6, rank = %c3, global_address = %arg0, global_dim = %o, global_strides = %o, box_dim = %b, element_strides = %o, interleave = %c6, swizzle = %c3, l2_promotion = %c6, oob_fill = %c6 : <#g> -> !cuda.result, !cuda.tensor_map loc(#loc1)
    return loc(#loc1)
  } loc(#loc1)
} loc(#loc1)
)ir";

TEST(ReadIrForms, ADescriptorThatTheHostEncodes) {
  const auto reading = read_ir(encoded, {"/k/gemm.py"});
  ASSERT_TRUE(reading) << reading.error().message();
  ASSERT_EQ(reading->facts.size(), 1u);
  const evidence::Fact& fact = reading->facts[0];
  EXPECT_EQ(fact.kind, "tma-descriptor");
  EXPECT_EQ(fact.at.line(), 5);
  EXPECT_EQ(fact.values.at("box").text(), "(64, 128)");
  EXPECT_EQ(fact.values.at("element").text(), "f16");
  EXPECT_EQ(fact.values.at("swizzle").text(), "128 bytes");
}

constexpr const char* small_forms = R"ir(!mma = !cute_nvgpu.sm100.mma<128x128x64, num_cta = 1>
#loc = loc(unknown)
#loc1 = loc(callsite("f"("/k/gemm.py":1:4) at "KernelLauncher.launch"("/k/gemm.py":90:4)))
#loc2 = loc(callsite("slice_"("/l/core.py":1:0) at callsite("make_layout_image_mask"("/l/core.py":2:0) at callsite("f"("/k/gemm.py":2:4) at "KernelLauncher.launch"("/k/gemm.py":90:4)))))
#loc3 = loc(callsite("make_layout"("/l/core.py":3:0) at callsite("f"("/k/gemm.py":3:4) at "KernelLauncher.launch"("/k/gemm.py":90:4))))
#loc4 = loc(callsite("f"("/k/gemm.py":4:4) at "KernelLauncher.launch"("/k/gemm.py":90:4)))
#loc5 = loc(callsite("f"("/k/gemm.py":5:4) at "KernelLauncher.launch"("/k/gemm.py":90:4)))
#loc6 = loc(callsite("f"("/k/gemm.py":6:4) at "KernelLauncher.launch"("/k/gemm.py":90:4)))
#loc7 = loc(callsite("f"("/k/gemm.py":7:4) at "KernelLauncher.launch"("/k/gemm.py":90:4)))
module {
  gpu.module @kernels {
    cuda.kernel @k_0(%arg0: !mma loc(unknown), %arg1: i64 loc(unknown), %arg2: !l loc(unknown)) attributes {cute.kernel} {
      %c = arith.constant 4 : i32 loc(#loc)
      %slice = cute.slice(%arg2, %c) : !cute.layout<"(1,2,1):(0,1,0)">, !cute.coord<"(0,_,0)"> -> !cute.layout<"(2):(1)"> loc(#loc2)
      %lay = cute.make_layout(%c) : (i32) -> !cute.layout<"(8,4):(1,8)"> loc(#loc3)
      scf.for %i = %c to %c step %c  : i32 {
        %set = cute_nvgpu.atom.set_value<sf_a>(%arg0, %c) : (!mma, i32) loc(#loc4)
      } {cutlass.pipelining = 3 : i32} loc(#loc1)
      scf.for %i = %c to %c step %c  : i32 {
      } loc(#loc7)
      llvm.inline_asm has_side_effects asm_dialect = att "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l" %arg1 : (i64) -> () loc(#loc5)
      llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 $0, 1;", "=r" %arg1 : (i64) -> () loc(#loc6)
      nvvm.inline_ptx "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{$r0}];" ro(%arg1 : i64) loc(#loc6)
      nvvm.cp.async.mbarrier.arrive %arg1 {noinc = true} : i64 loc(#loc7)
      nvvm.bar.warp.sync %c : i32 loc(#loc7)
      llvm.fence syncscope("block") acq_rel loc(#loc7)
      %r = cute.memref.alloca() : !cute.memref<f32, rmem, align<32>, "(8,4):(1,8)"> loc(#loc6)
    } loc(#loc1)
  } loc(#loc)
} loc(#loc)
)ir";

TEST(ReadIrForms, MasksPipelinedLoopsScaleFactorsAndFencesWrittenAsText) {
  const auto reading = read_ir(small_forms, {"/k/gemm.py"});
  ASSERT_TRUE(reading) << reading.error().message();
  std::map<std::string, std::pair<int, std::string>> seen;
  for (const evidence::Fact& fact : reading->facts)
    for (const auto& [name, value] : fact.values)
      seen[fact.kind + " " + name] = {fact.at.line(), value.text()};
  EXPECT_EQ(seen["pipelined-loop prefetch_stages"], std::pair(1, std::string("3")));
  EXPECT_EQ(seen["multicast-mask ctas"], std::pair(2, std::string("2")));
  EXPECT_EQ(seen["mma-field field"], std::pair(4, std::string("SFA")));
  EXPECT_EQ(seen["fence proxy"], std::pair(5, std::string("tensormap")));
  EXPECT_EQ(seen["mbarrier action"], std::pair(7, std::string("arrive")));
  EXPECT_EQ(seen["barrier scope"], std::pair(7, std::string("warp")));
  EXPECT_EQ(reading->facts.size(), 8u) << "neither the plain loop nor the mov";
  ASSERT_EQ(reading->lesser.size(), 2u);
  EXPECT_EQ(reading->lesser[0].at.line(), 3);
  EXPECT_EQ(reading->lesser[0].values.at("layout").text(), "(8,4):(1,8)");
  EXPECT_EQ(reading->lesser[1].at.line(), 6);
  EXPECT_EQ(reading->lesser[1].values.at("accumulator").text(), "registers");
  const std::vector<std::pair<int, int>> lines = {{0, 1}, {0, 2}, {0, 3}, {0, 4},
                                                  {0, 5}, {0, 6}, {0, 7}, {0, 90}};
  EXPECT_EQ(reading->lines, lines);
}

TEST(ReadIrForms, HostileFormsAreReadOrRefused) {
  const std::vector<std::string> files = {"/k/gemm.py"};
  std::string many = "module {\n";
  for (const char* operation :
       {"cuda.tensor_map_encode_tiled box_dim = , swizzle =",
        "lir.create_pipeline() : () -> !lir.pipeline<",
        "%0 = create_pipeline(%9, %9) : !lir.pipeline<99999999999999999999, a -> b, cta>",
        "lir.dot()",
        "%1 = allocate_buffer() : !cute.memref<f16, smem, align<-1>, \"(\">",
        "%2 = cute.memref.alloca() {smem.struct_fields = [\"a:b\", \":::\", \"x:1:99999999999999999999\"]} : "
        "!cute.memref<i8, smem, "
        "align<1>, \"9223372036854775807:9223372036854775807\">",
        "nvvm.setmaxregister",
        "nvvm.mbarrier.init",
        "cuda.launch_ex @",
        "cuda.launch_cfg.create blockDim = (",
        "nvvm.barrier id = number_of_threads = ",
        "cute.copy() : ,",
        "cute.gemm : (",
        "cute.slice(",
        "scf.for } {cutlass.pipelining = x",
        "llvm.inline_asm \"",
        "cute.recast_iter",
        "cute.static : !cute.swizzle<",
        "llvm.store",
        "cute.make_view(%1) : !cute.memref<>",
        "nvvm.wgmma.wait.group.sync.aligned 99999999999999999999999"})
    many += std::string("  ") + operation + "\n";
  for (const char* kernel :
       {"cuda.kernel @k_0(%arg0: i32) {", "lir.func @k_0() {", "func.func {", "gpu.func @"}) {
    (void)read_ir(many + kernel + "\n" + many.substr(9) + "}\n}\n", files);
    (void)read_ir(std::string(kernel) + "\n" + many.substr(9) + "}\n", files);
  }
  const auto facts = read_ir(many + "}\n", files);
  if (!facts) return;
  for (const evidence::Fact& fact : facts->facts) EXPECT_FALSE(fact.at.known());
}

TEST(ReadIrForms, ATextThatIsAllLocationsEndsInTime) {
  // Each call site names the two before it: a chain doubles with every alias.
  std::string text =
      "module {\n  nvvm.barrier loc(#loc999)\n}\n#loc0 = loc(\"/k/gemm.py\":1:0)\n#loc1 = "
      "loc(\"/k/gemm.py\":2:0)\n";
  for (int i = 2; i < 1000; ++i)
    text += "#loc" + std::to_string(i) + " = loc(callsite(#loc" + std::to_string(i - 1) + " at #loc" +
            std::to_string(i - 2) + "))\n";
  EXPECT_TRUE(read_ir(text, {"/k/gemm.py"}));
}

}  // namespace
}  // namespace cutelab::compiled
