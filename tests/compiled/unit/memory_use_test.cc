// Which arguments a module's kernels read and write. The texts are our own, in the form that the DSL prints.
#include "compiled/memory_use.h"

#include <gtest/gtest.h>

namespace cutelab::compiled {
namespace {

/// A kernel of `arguments`, launched by a host function that makes TMA descriptors of its first and third.
std::string module_of(const std::string& parameters, const std::string& body, const std::string& operands) {
  return R"ir(!view = !cute.memref<f16, gmem, "(?,?):(?,1)">
!tile = !cute.memref<f16, smem, "(8,8):(8,1)">
!rows = !cute.memref<f16, rmem, "8:1">
!load = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16>
!store = !cute_nvgpu.atom.non_exec_tiled_tma_store<f16>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @k_0()ir" +
         parameters + R"ir() attributes {cu_attrs = {}} {
)ir" + body +
         R"ir(
      cuda.return
    }
  }
  func.func @run_f(%arg0: !view, %arg1: !view, %arg2: !view, %arg3: i32) -> i32 attributes {llvm.emit_c_interface} {
    %lay = cute.get_layout(%arg1) : !view
    %in, %in_tensor = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%arg0, %lay) : (!view, !x) -> (!load, !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">)
    %out, %out_tensor = cute_nvgpu.atom.make_non_exec_tiled_tma_store(%arg2, %lay) : (!view, !x) -> (!store, !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">)
    %cfg = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%arg3, %arg3, %arg3)) : i32, i32, i32 -> !cuda.launch_cfg
    %r = cuda.launch_ex @kernels::@k_0<%cfg> ()ir" +
         operands + R"ir() : !cuda.launch_cfg, (!view) -> !cuda.result
    func.return %arg3 : i32
  }
}
)ir";
}

std::string spelled(const Result<MemoryUse>& use) {
  if (!use) return use.error().wrong;
  std::string text;
  for (const auto& argument : use->arguments) {
    text += argument.read ? 'r' : '-';
    text += argument.written ? 'w' : '-';
    text += ' ';
  }
  return text + std::to_string(use->writes_elsewhere);
}

TEST(MemoryUse, DescriptorsAreFollowedThroughTheLaunch) {
  const std::string text = module_of("%arg0: !load, %arg1: !store, %arg2: !view", R"ir(
      %s = cute.memref.alloca() : !tile
      %l = cute_nvgpu.atom.make_exec_tma(%arg0) : (!load) -> !cute_nvgpu.atom.tma_load<f16>
      %b = cute_nvgpu.atom.set_value<tma_bar>(%l, %s) : (!cute_nvgpu.atom.tma_load<f16>, !tile)
      cute.copy(%b, %s, %s) : (!cute_nvgpu.atom.tma_load<f16>, !cute.coord_tensor<"(0,0)", "8:1@0">, !tile)
      %t = cute_nvgpu.atom.make_exec_tma(%arg1) : (!store) -> !cute_nvgpu.atom.tma_store<f16>
      cute.copy(%t, %s, %s) : (!cute_nvgpu.atom.tma_store<f16>, !tile, !cute.coord_tensor<"(0,0)", "8:1@0">))ir",
                                     "%in, %out, %arg1");
  EXPECT_EQ(spelled(memory_use(text, "run_f")), "r- -- -w -- 0") << "the second is passed and not touched";
  EXPECT_EQ(spelled(memory_use(text, "run_g")), "there is no function run_g");
}

TEST(MemoryUse, DescriptorsOfTheDriversOwnCallAreFollowed) {
  const char* const text = R"ir(
module {
  cuda.kernels @kernels {
    cuda.kernel @k_0(%arg0: !cuda.tensor_map, %arg1: !cuda.tensor_map) {
      %p = cuda.cast %arg0 : !cuda.tensor_map -> !llvm.ptr
      nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %p, %b, box[%x, %y] : !llvm.ptr<7>, !llvm.ptr
      cuda.return
    }
  }
  func.func @run(%arg0: !cute.memref<f16, gmem, "(8,8):(8,1)">, %arg1: !cute.memref<f16, gmem, "(8,8):(8,1)">) -> i32 {
    %i = cute.get_iter(%arg0) : !cute.memref<f16, gmem, "(8,8):(8,1)">
    %n = cute.ptrtoint(%i) : !cute.ptr<f16, gmem> to i64
    %g = cuda.cast %n : i64 -> !ptr.ptr<#ptr.generic_space>
    %r, %m = cuda.tensor_map_encode_tiled global_address = %g, rank = %c : <#ptr.generic_space> -> !cuda.result, !cuda.tensor_map
    %l = cuda.launch_ex @kernels::@k_0<%cfg> (%m, %m) : !cuda.launch_cfg, (!cuda.tensor_map, !cuda.tensor_map) -> !cuda.result
    func.return %z : i32
  }
}
)ir";
  EXPECT_EQ(spelled(memory_use(text, "run")), "r- -- 0");
}

TEST(MemoryUse, ViewsLoopsAndBranchesCarryAnAddress) {
  const std::string text = module_of("%arg0: !view, %arg1: !view, %arg2: !view, %arg3: i1", R"ir(
      %c = arith.constant 1 : i32
      %m = cute.memref.alloca() : !rows
      %p = cute.get_iter(%arg0) : !view
      %lay = cute.get_layout(%arg2) : !view
      %v = cute.make_view(%p, %lay) : !view
      %x = cute.memref.load(%arg1, %c) : (!view, i32) -> f16
      %q:2 = scf.for %i = %c to %c step %c iter_args(%at = %v, %n = %c) -> (!view, i32)  : i32 {
        cute.memref.store_vec(%x, %at) : (vector<8xf16>, !view) -> ()
        scf.yield %at, %n : !view, i32
      }
      cute.copy(%m, %q#0, %m) : (!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16>>, !view, !rows))ir",
                                     "%arg2, %arg0, %arg1, %arg3");
  EXPECT_EQ(spelled(memory_use(text, "run_f")), "r- -- rw -- 0")
      << "a layout is no memory: the view's belongs to the iterator";
}

TEST(MemoryUse, AnAddressThatIsLoadedBelongsToNoArgument) {
  const std::string text = module_of("%arg0: !view, %arg1: !view", R"ir(
      %c = arith.constant 1 : i64
      %a = cute.memref.load(%arg0, %c) : (!view, i64) -> i64
      %p = cute.inttoptr(%a) : i64 to !cute.ptr<f16, gmem>
      cute.memref.store(%p, %c, %c) : (!cute.ptr<f16, gmem>, i64, f16) -> ()
      %i = cute.get_iter(%arg1) : !view
      %n = cute.ptrtoint(%i) : !cute.ptr<f16, gmem> to i64
      %n2 = arith.addi %n, %c : i64
      %q = llvm.inttoptr %n2 : i64 to !llvm.ptr<1>
      llvm.store %c, %q : i64, !llvm.ptr<1>)ir",
                                     "%arg0, %arg1");
  EXPECT_EQ(spelled(memory_use(text, "run_f")), "r- -w -- -- 1");
}

TEST(MemoryUse, ADescriptorThatTheDeviceMakesIsNotTheHosts) {
  const std::string text = module_of("%arg0: !store, %arg1: !view", R"ir(
      %s = cute.memref.alloca() : !tile
      %p = cute.get_iter(%arg1) : !view
      %t = cute_nvgpu.atom.make_exec_tma(%arg0) : (!store) -> !cute_nvgpu.atom.tma_store<f16>
      %d = cute_nvgpu.atom.set_value<tma_descriptor_ptr>(%t, %p) : (!cute_nvgpu.atom.tma_store<f16>, !cute.ptr<i64, gmem>)
      cute.copy(%d, %s, %s) : (!cute_nvgpu.atom.tma_store<f16>, !tile, !cute.coord_tensor<"(0,0)", "8:1@0">))ir",
                                     "%out, %arg1");
  EXPECT_EQ(spelled(memory_use(text, "run_f")), "-- -- -- -- 1");
}

TEST(MemoryUse, AssemblyAndAtomicsCount) {
  const std::string text = module_of("%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>, %arg2: !llvm.ptr<1>", R"ir(
      %c = arith.constant 1 : i32
      llvm.inline_asm has_side_effects asm_dialect = att "st.global.b32 [$0], $1;", "l,r" %arg0, %c : (!llvm.ptr<1>, i32) -> ()
      %x = llvm.inline_asm has_side_effects asm_dialect = att "ld.global.b32 $0, [$1];", "=r,l" %arg1 : (!llvm.ptr<1>) -> i32
      %y = nvvm.atomicrmw  add %arg2, %c : !llvm.ptr<1>, i32)ir",
                                     "%arg0, %arg1, %arg2");
  EXPECT_EQ(spelled(memory_use(text, "run_f")), "-w r- rw -- 0");
}

}  // namespace
}  // namespace cutelab::compiled
