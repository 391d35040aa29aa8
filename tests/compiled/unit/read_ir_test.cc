#include "compiled/read_ir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "compiled/ir_types.h"

namespace cutelab::compiled {
namespace {

// Written by hand in the form the DSL prints: a kernel with a struct in shared memory, a pipeline of two
// stages, a TMA load through it, a wgmma, a store pipeline of three stages, and its host function.
constexpr const char* gemm =
    R"ir(!mma = !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (f16, bf16, f32), frag_kind = rs>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
!smem = !cute.memref<i8, smem, align<1024>, "9216:1">
!extra = !cute.memref<f32, smem, align<128>, "(8,2):(2,1)">
!tile = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "(8,64):(64,1)">
!acc = !cute.memref<f32, rmem, align<32>, "(2,2):(1,2)">
#loc = loc(unknown)
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @k_0(%arg0: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 8192> loc("Gemm"(#loc1)), %arg1: !mma loc(unknown)) attributes {nvvm.reqntid = array<i32: 256, 1, 1>} {
      %smem = cute.memref.alloca() {smem.partition_id = 1 : i32, smem.struct_fields = ["full:32:0", "sA:8192:1024"]} : !smem loc(#loc20)
      %extra = cute.memref.alloca() {smem.partition_id = 1 : i32} : !extra loc(#loc21)
      %iter = cute.get_iter(%smem) : !smem loc(#loc20)
      %bytes = cute.recast_iter(%iter) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<i64, smem, align<1024>> loc(#loc20)
      %c1 = arith.constant 1 : i32 loc(#loc)
      %c4 = arith.constant 4 : i32 loc(#loc)
      %i0 = cute.make_int_tuple() : () -> !cute.int_tuple<"0"> loc(#loc)
      %i1 = cute.make_int_tuple() : () -> !cute.int_tuple<"1"> loc(#loc)
      %i2 = cute.make_int_tuple() : () -> !cute.int_tuple<"2"> loc(#loc)
      %p0 = cute.add_offset(%bytes, %i0) : (!cute.ptr<i64, smem, align<1024>>, !cute.int_tuple<"0">) -> !cute.ptr<i64, smem> loc(#loc)
      %p1 = cute.add_offset(%bytes, %i1) : (!cute.ptr<i64, smem, align<1024>>, !cute.int_tuple<"1">) -> !cute.ptr<i64, smem> loc(#loc)
      %e0 = cute.add_offset(%bytes, %i2) : (!cute.ptr<i64, smem, align<1024>>, !cute.int_tuple<"2">) -> !cute.ptr<i64, smem> loc(#loc)
      nvvm.mbarrier.init %p0, %c1 : !llvm.ptr<3>, i32 loc(#loc22)
      nvvm.mbarrier.init %p1, %c1 : !llvm.ptr<3>, i32 loc(#loc22)
      nvvm.mbarrier.init %e0, %c4 : !llvm.ptr<3>, i32 loc(#loc23)
      nvvm.mbarrier.init %e0, %c4 : !llvm.ptr<3>, i32 loc(#loc23)
      %true = arith.constant true loc(#loc)
      scf.if %true {
        nvvm.setmaxregister  decrease 40 loc(#loc25)
        %r:2 = scf.for %i = %c1 to %c4 step %c1 iter_args(%stage = %c1, %last = %p0) -> (i32, i32)  : i32 {
          %s = cute.make_int_tuple(%stage) : (i32) -> !cute.int_tuple<"?"> loc(#loc)
          %q = cute.add_offset(%bytes, %s) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem> loc(#loc)
          %tx = arith.constant 8192 : i32 loc(#loc)
          nvvm.mbarrier.arrive.expect_tx %q, %tx : !llvm.ptr<3>, i32 loc(#loc26)
          %o = cute.make_int_tuple() : () -> !cute.int_tuple<"1024"> loc(#loc)
          %b = cute.add_offset(%iter, %o) : (!cute.ptr<i8, smem, align<1024>>, !cute.int_tuple<"1024">) -> !cute.ptr<i8, smem> loc(#loc)
          %v = cute.make_view(%b, %s) : !tile loc(#loc27)
          %atom = cute_nvgpu.atom.make_exec_tma(%arg0) : (!x) -> !y loc(#loc28)
          %set = cute_nvgpu.atom.set_value<tma_bar>(%atom, %q) : (!y, !cute.ptr<i64, smem>) loc(#loc28)
          cute.copy(%set, %s, %v) : (!cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled>, !cute.coord_tensor<"(0,0)", "(8,64):(1@1,1@0)">, !tile) loc(#loc28)
          scf.yield %stage, %last : i32, i32 loc(#loc)
        } loc(#loc29)
      } loc(#loc24)
      %acc = cute.memref.alloca(%i0) : !acc loc(#loc30)
      cute.gemm(%arg1, %acc, %i0, %i1, %acc) : (!mma, !acc, !a, !b, !acc) loc(#loc31)
      nvvm.wgmma.wait.group.sync.aligned 1 loc(#loc32)
      nvvm.barrier id = %c1 number_of_threads = %c4 loc(#loc33)
      nvvm.cp.async.bulk.wait_group 2 {read} loc(#loc34)
      nvvm.barrier.cta.sync %c4 : i32 loc(#loc35)
      nvvm.cp.async.bulk.tensor.shared.cluster.global %p0, %p1 : !a, !b loc(#loc36)
      nvvm.tcgen05.mma %p0, %p1 : !a, !b loc(#loc37)
      nvvm.tcgen05.alloc %p0, %c4 : !a, i32 loc(#loc38)
      %red = nvvm.barrier.cta.red %c1, %c1, %c4 {kind = #nvvm.barrier_redux_kind<or>} : i1, i32, i32 -> i32 loc(#loc41)
      nvvm.cp.async.bulk.shared.cluster.global %p0, %p1 : !a, !b loc(#loc42)
      nvvm.cp.async.bulk.global.shared.cta %p0, %p1 : !a, !b loc(#loc43)
      nvvm.cp.async.bulk.shared.cluster.shared.cta %p0, %p1 : !a, !b loc(#loc44)
      other.operation loc(#loc31)
      return loc(#loc)
    } loc(#loc2)
  } loc(#loc)
  func.func @host(%arg0: !m loc(unknown)) -> i32 {
    %c256 = arith.constant 256 : i32 loc(#loc)
    %c1 = arith.constant 1 : i32 loc(#loc)
    %n = other.extent : i32 loc(#loc)
    %l = cute.get() : () -> !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)"> loc(#loc)
    %tma, %t = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%arg0, %l) <{kind = <sm_90_multicast> num_multicast = 2}> : (!m, !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 8192, tma_gbasis = <"(64,8,1):(1@1,1@0,1@2)">, tma_format = F16_RN>, !c) loc(#loc40)
    %3 = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%c256, %c1, %c1), dynamicSmemBytes = %n, gridDim = (%n, %c1, %c1), stream = %arg0) : i32, i32, i32, i64, i32, i32, i32, !s -> !cuda.launch_cfg<max_attrs = 17> loc(#loc2)
    cuda.launch_cfg.cluster_dim[%3] (%c1, %c1, %c1) : !cuda.launch_cfg<max_attrs = 17>, i32, i32, i32 loc(#loc2)
    cuda.launch_cfg.cooperative[%3] %c1 : !cuda.launch_cfg<max_attrs = 17>, i32 loc(#loc2)
    %4 = cuda.launch_ex @kernels::@k_0<%3> (%tma) {assume_kernel_attr = #cuda.assume<true>} : !cuda.launch_cfg<max_attrs = 17>, (!x) -> !cuda.result loc(#loc2)
    return loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("/k/gemm.py":10:0)
#loc2 = loc("Gemm"(#loc1))
#loc3 = loc("/lib/pipeline.py":5:1)
#loc4 = loc(callsite("KernelLauncher.launch"(#loc3) at "Gemm.__call__"(#loc5)))
#loc5 = loc("/k/gemm.py":60:4)
#loc20 = loc(callsite("allocate"(#loc3) at #loc50))
#loc21 = loc(callsite("SmemAllocator.allocate_tensor"(#loc3) at #loc51))
#loc22 = loc(callsite("f"(#loc3) at callsite("PipelineTmaAsync.create"("/lib/p.py":1:1) at #loc52)))
#loc23 = loc(callsite("g"(#loc3) at callsite("PipelineTmaAsync.create"("/lib/p.py":2:1) at #loc52)))
#loc24 = loc(callsite("kernel"("/k/gemm.py":24:4) at #loc4))
#loc25 = loc(callsite("kernel.<locals>.then_block"("/k/gemm.py":25:4) at #loc4))
#loc26 = loc(callsite("wait_my_way"("/k/gemm.py":3:4) at callsite("PipelineTmaAsync.producer_acquire"("/lib/p.py":9:1) at #loc53)))
#loc27 = loc(callsite("get_tensor"(#loc3) at callsite("kernel"("/k/gemm.py":27:4) at #loc4)))
#loc28 = loc(callsite("copy"(#loc3) at callsite("kernel"("/k/gemm.py":28:4) at #loc4)))
#loc29 = loc(callsite("kernel"("/k/gemm.py":29:4) at #loc4))
#loc30 = loc(callsite("kernel"("/k/gemm.py":30:4) at #loc4))
#loc31 = loc(callsite("helper"("/k/tools.py":7:4) at callsite("kernel"("/k/gemm.py":31:4) at #loc4)))
#loc32 = loc(callsite("kernel"("/k/gemm.py":32:4) at #loc4))
#loc33 = loc(callsite("kernel"("/k/gemm.py":33:4) at #loc4))
#loc34 = loc(callsite("PipelineTmaStore.producer_acquire"("/lib/p.py":70:4) at callsite("kernel"("/k/gemm.py":34:4) at #loc4)))
#loc35 = loc(callsite("kernel"("/k/gemm.py":35:4) at #loc4))
#loc36 = loc(callsite("kernel"("/k/gemm.py":36:4) at #loc4))
#loc37 = loc(callsite("kernel"("/k/gemm.py":37:4) at #loc4))
#loc38 = loc(callsite("kernel"("/k/gemm.py":38:4) at #loc4))
#loc40 = loc(callsite("make_tiled_tma_atom"(#loc3) at callsite("Gemm.__call__"("/k/gemm.py":55:4) at "BaseDSL.generate_mlir"(#loc3))))
#loc41 = loc(callsite("kernel"("/k/gemm.py":41:4) at #loc4))
#loc42 = loc(callsite("kernel"("/k/gemm.py":42:4) at #loc4))
#loc43 = loc(callsite("kernel"("/k/gemm.py":43:4) at #loc4))
#loc44 = loc(callsite("kernel"("/k/gemm.py":44:4) at #loc4))
#loc50 = loc(callsite("kernel"("/k/gemm.py":20:4) at #loc4))
#loc51 = loc(callsite("kernel"("/k/gemm.py":21:4) at #loc4))
#loc52 = loc(callsite("kernel"("/k/gemm.py":22:4) at #loc4))
#loc53 = loc(callsite("kernel"("/k/gemm.py":26:4) at #loc4))
)ir";

class ReadIr : public ::testing::Test {
 protected:
  ReadIr() {
    auto read = read_ir(gemm, {"/k/gemm.py", "/k/tools.py"});
    EXPECT_TRUE(read) << read.error().message();
    if (read) reading_ = std::move(*read);
  }

  const evidence::Fact& fact(const std::string& kind, int line, const std::string& subject = "") {
    for (const evidence::Fact& candidate : reading_.facts)
      if (candidate.kind == kind && candidate.at.line() == line &&
          (subject.empty() || candidate.subject == subject))
        return candidate;
    ADD_FAILURE() << "no " << kind << " at " << line;
    static const evidence::Fact absent;
    return absent;
  }

  std::string value(const std::string& kind, int line, const std::string& name,
                    const std::string& subject = "") {
    const evidence::Fact& found = fact(kind, line, subject);
    const auto it = found.values.find(name);
    return it == found.values.end() ? "absent" : it->second.text();
  }

  IrReading reading_;
};

TEST_F(ReadIr, KernelAndLaunch) {
  ASSERT_EQ(reading_.kernels.size(), 1u);
  EXPECT_EQ(reading_.kernels[0].name, "Gemm.kernel");
  EXPECT_EQ(reading_.kernels[0].symbol, "k_0");
  EXPECT_EQ(reading_.kernels[0].at.line(), 10);
  // 9216 bytes, then 16 floats at the next multiple of 128.
  EXPECT_EQ(reading_.kernels[0].shared_bytes, 9216 + 64);
  EXPECT_EQ(value("launch", 60, "block"), "(256, 1, 1)");
  EXPECT_EQ(value("launch", 60, "grid"), "(?, 1, 1)");
  EXPECT_EQ(value("launch", 60, "threads"), "256");
  EXPECT_EQ(value("launch", 60, "cluster"), "(1, 1, 1)");
  EXPECT_EQ(value("launch", 60, "cooperative"), "true");
  EXPECT_EQ(value("launch", 60, "smem_bytes"), "9280");
  EXPECT_EQ(fact("launch", 60).kernel, "Gemm.kernel");
}

TEST_F(ReadIr, ALaunchNamesItsSymbol) { EXPECT_EQ(value("launch", 60, "symbol"), "k_0"); }

TEST(ReadIrText, ALaunchAsksForTheBytesThatItPasses) {
  std::string text = gemm;
  const std::string before = "nvvm.reqntid";
  ASSERT_NE(text.find(before), std::string::npos);
  text.insert(text.find(before), "smem.config_smem_size = 16 : i64, ");
  const auto read = read_ir(text, {"/k/gemm.py", "/k/tools.py"});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kernels[0].shared_bytes, 9280) << "what the kernel allocates";
  for (const evidence::Fact& fact : read->facts)
    if (fact.kind == "launch") {
      EXPECT_EQ(fact.values.at("smem_bytes").integer(), 16)
          << "the source says smem=16; 9280 is no difference";
    }
}

TEST(ReadIrText, APreferredClusterIsTheOneAskedFor) {
  std::string text = gemm;
  const std::string before = "    cuda.launch_cfg.cooperative[%3]";
  text.insert(
      text.find(before),
      "    cuda.launch_cfg.preferred_cluster_dim[%3] (%c256, %c1, %c1) : !cuda.launch_cfg<max_attrs = "
      "17>, i32, i32, i32 loc(#loc2)\n");
  auto read = read_ir(text, {"/k/gemm.py"});
  ASSERT_TRUE(read);
  for (const evidence::Fact& fact : read->facts) {
    if (fact.kind != "launch") continue;
    EXPECT_EQ(fact.values.at("cluster").text(), "(256, 1, 1)");
    EXPECT_EQ(fact.values.at("fallback_cluster").text(), "(1, 1, 1)");
  }
}

TEST_F(ReadIr, ABarrierThatReducesHasItsPredicateFirst) {
  EXPECT_EQ(value("barrier", 41, "id"), value("barrier", 33, "id"));
  EXPECT_EQ(value("barrier", 41, "threads"), value("barrier", 33, "threads"));
}

TEST_F(ReadIr, BulkCopiesTellTheirDirection) {
  EXPECT_EQ(value("copy", 42, "operation"), "bulk-load");
  EXPECT_EQ(value("copy", 43, "operation"), "bulk-store");
  EXPECT_EQ(value("copy", 44, "operation"), "remote-copy");
}

TEST_F(ReadIr, SharedMemory) {
  EXPECT_EQ(value("allocation", 20, "bytes"), "9216");
  EXPECT_EQ(value("storage", 20, "alignment"), "1024");
  EXPECT_EQ(value("storage-member", 20, "offset", "sA"), "1024");
  EXPECT_EQ(value("storage-member", 20, "bytes", "full"), "32");
  EXPECT_EQ(value("allocation", 21, "bytes"), "64");
  EXPECT_EQ(value("swizzle-applied", 27, "layout"), "S<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(value("swizzle-applied", 27, "buffer"), "sA");
}

TEST_F(ReadIr, PipelinesAndTheirBarriers) {
  EXPECT_EQ(value("pipeline", 22, "class"), "PipelineTmaAsync");
  EXPECT_EQ(value("pipeline", 22, "stages"), "2");
  EXPECT_EQ(value("pipeline", 22, "producer_arrivals"), "1");
  EXPECT_EQ(value("pipeline", 22, "consumer_arrivals"), "4");
  EXPECT_EQ(value("pipeline", 22, "bytes"), "8192");
  EXPECT_EQ(value("pipeline", 22, "barrier_storage"), "full");
  // The program put a wait of its own in the library's place: the line that acquires is told.
  EXPECT_EQ(value("acquire", 26, "bytes"), "8192");
  EXPECT_EQ(value("acquire", 26, "class"), "PipelineTmaAsync");
  EXPECT_EQ(value("acquire", 26, "inside"), "(if 24, for 29)");
  EXPECT_EQ(value("pipeline", 34, "class"), "PipelineTmaStore");
  EXPECT_EQ(value("pipeline", 34, "stages"), "3");
  EXPECT_EQ(value("acquire", 34, "pending"), "2");
}

TEST_F(ReadIr, CopiesMatrixInstructionsAndSynchronisation) {
  EXPECT_EQ(value("tma-descriptor", 55, "direction"), "load");
  EXPECT_EQ(value("tma-descriptor", 55, "operation"), "CopyBulkTensorTileG2SMulticastOp");
  EXPECT_EQ(value("tma-descriptor", 55, "multicast_degree"), "2");
  EXPECT_EQ(value("tma-descriptor", 55, "box"), "(64, 8, 1)");
  EXPECT_EQ(value("tma-descriptor", 55, "bytes"), "1024");
  EXPECT_EQ(value("tma-descriptor", 55, "swizzle"), "S<3,4,3>");
  EXPECT_EQ(value("tma-descriptor", 55, "element"), "f16");
  EXPECT_EQ(value("copy", 28, "operation"), "tma-load");
  EXPECT_EQ(value("copy", 28, "barrier"), "full");
  EXPECT_EQ(value("copy", 28, "bytes"), "8192");
  EXPECT_EQ(value("copy", 28, "buffer"), "sA");
  EXPECT_EQ(value("gemm", 7, "shape"), "(64, 128, 16)");
  EXPECT_EQ(value("gemm", 7, "a_source"), "registers");
  EXPECT_EQ(value("gemm", 7, "b_major"), "mn");
  EXPECT_EQ(fact("gemm", 7).at.file, 1);
  ASSERT_EQ(fact("gemm", 7).values.at("through").origins.size(), 1u);
  EXPECT_EQ(fact("gemm", 7).values.at("through").origins[0].line(), 31);
  EXPECT_EQ(value("accumulator", 30, "layout"), "(2,2):(1,2)");
  EXPECT_EQ(value("wgmma-wait", 32, "pending"), "1");
  EXPECT_EQ(value("barrier", 33, "id"), "1");
  EXPECT_EQ(value("barrier", 33, "threads"), "4");
  EXPECT_EQ(value("barrier", 35, "id"), "4");
  EXPECT_EQ(value("barrier", 35, "threads"), "absent");
  EXPECT_EQ(value("copy", 36, "operation"), "tma-load");
  EXPECT_EQ(value("gemm", 37, "family"), "tcgen05");
  EXPECT_EQ(value("tensor-memory-allocation", 38, "columns"), "4");
  EXPECT_EQ(value("register-budget", 25, "registers"), "40");
  EXPECT_EQ(value("register-budget", 25, "action"), "decrease");
}

TEST_F(ReadIr, CountsWhatItDoesNotRead) {
  EXPECT_EQ(reading_.unread.at("other.operation"), 1);
  EXPECT_EQ(reading_.unread.at("other.extent"), 1);
  EXPECT_EQ(reading_.unread.count("cute.gemm"), 0u);
  EXPECT_EQ(reading_.lost_values, 0);
}

TEST(ReadIrHostile, CutAndChangedTextNeverFalls) {
  const std::string text(gemm);
  for (std::size_t n = 0; n < text.size(); n += 7) {
    std::string changed = text;
    changed.erase(n, 5);
    (void)read_ir(changed, {"/k/gemm.py"});
    changed = text;
    changed[n] = "%\"(<{}\n#:,"[n % 10];
    (void)read_ir(changed, {"/k/gemm.py"});
  }
}

TEST(IrTypes, SignaturesAndAttributes) {
  ir::Operation operation;
  operation.header = "(%a) {k = \"x : y\"} : (!t<\"(8,_):(1,0)\">, i32) -> (f32, !u)";
  auto signature = ir::signature_of(operation);
  ASSERT_EQ(signature.inputs.size(), 2u);
  EXPECT_EQ(signature.inputs[0], "!t<\"(8,_):(1,0)\">");
  ASSERT_EQ(signature.results.size(), 2u);
  EXPECT_EQ(signature.results[1], "!u");
  operation.header = "(%a) : !cute.ptr<i8, smem> to !llvm.ptr<3>";
  signature = ir::signature_of(operation);
  ASSERT_EQ(signature.results.size(), 1u);
  EXPECT_EQ(signature.results[0], "!llvm.ptr<3>");
  EXPECT_EQ(ir::attribute("<{kind = <sm_90> num_multicast = 2}>", "num_multicast"), "2");
  EXPECT_EQ(ir::attribute("<{kind = <sm_90> num_multicast = 2}>", "kind"), "<sm_90>");
  EXPECT_EQ(ir::attribute("{akind = 1, kind = 2}", "kind"), "2");
  EXPECT_EQ(ir::attribute("{kind2 = 1}", "kind"), "");
  const auto memory = ir::memory_of("!cute.memref<f16, smem, align<1024>, S<3,4,3>, \"(8,64):(64,1)\">");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->alignment, 1024);
  EXPECT_EQ(memory->swizzle, "S<3,4,3>");
  EXPECT_FALSE(ir::memory_of("!cute.layout<\"1:0\">"));
}

}  // namespace
}  // namespace cutelab::compiled
