// D = alpha · A · Bᵀ + beta · C on Hopper, the first rung: one warpgroup, one output tile, one stage.
//
// One thread asks TMA for 64 k-columns of A and B, all wait, WGMMA multiplies them out of shared memory, all
// wait again. Loading and multiplying never overlap inside a CTA; results go from registers to memory.
//
// Compiled for one Config (config.h), given as GEMM_* macros.
#include "../door.cuh"
#include "config.h"

namespace dense_gemm_v0 {
using namespace dense_gemm;
using Full = cutlass::arch::ClusterTransactionBarrier;

constexpr Config config{GEMM_TILE_M, GEMM_TILE_N};
static_assert(config.smem_bytes() <= smem_limit);
static_assert(config.tile_m * config.tile_n <= 128 * 128, "at most 128 accumulators a thread");

using TileM = Int<config.tile_m>;
using TileN = Int<config.tile_n>;
using TileK = Int<tile_k>;
using SmemA = SmemLayout<major_a, config.tile_m, 1>;  // (tile_m, 64, 1)
using SmemB = SmemLayout<major_b, config.tile_n, 1>;  // (tile_n, 64, 1)
using Mma = TiledMmaOf<config.tile_m, config.tile_n, 1>;

struct Storage {
  alignas(1024) Element a[cosize_v<SmemA>];
  alignas(1024) Element b[cosize_v<SmemB>];
  uint64_t full;
};

auto load_a(const Params& p) {
  return make_tma_atom(SM90_TMA_LOAD{}, operand<major_a>(p.a, p.m, p.k, p.batch), SmemA{}(_, _, _0{}),
                       Shape<TileM, TileK>{});
}
auto load_b(const Params& p) {
  return make_tma_atom(SM90_TMA_LOAD{}, operand<major_b>(p.b, p.n, p.k, p.batch), SmemB{}(_, _, _0{}),
                       Shape<TileN, TileK>{});
}
struct Descriptors {
  decltype(load_a(Params{})) a;
  decltype(load_b(Params{})) b;
};
Descriptors describe(const Params& p) { return {load_a(p), load_b(p)}; }

/// The output tile of this CTA: down a column of tiles, then the next column.
struct CtaTile {
  int m, n, batch;
  CUTE_DEVICE explicit CtaTile(const Params& p) {
    const int rows = ceil_div(p.m, TileM{});
    const int columns = ceil_div(p.n, TileN{});
    m = blockIdx.x % rows;
    n = blockIdx.x / rows % columns;
    batch = blockIdx.x / rows / columns;
  }
};

__global__ void __launch_bounds__(config.block())
    dense_gemm_kernel(const Params p, const __grid_constant__ Descriptors tma) {
  extern __shared__ char raw[];
  Storage& s = *reinterpret_cast<Storage*>(raw + (1024 - cast_smem_ptr_to_uint(raw) % 1024) % 1024);
  const CtaTile tile(p);
  Tensor gA = local_tile(tma.a.get_tma_tensor(make_shape(p.m, p.k, p.batch)), Shape<TileM, TileK>{},
                         make_coord(tile.m, _, tile.batch));  // (tile_m, 64, k-tile)
  Tensor gB = local_tile(tma.b.get_tma_tensor(make_shape(p.n, p.k, p.batch)), Shape<TileN, TileK>{},
                         make_coord(tile.n, _, tile.batch));  // (tile_n, 64, k-tile)
  Tensor sA = make_tensor(make_smem_ptr(s.a), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(s.b), SmemB{});
  const auto [tAgA, tAsA] =
      tma_partition(tma.a, _0{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  const auto [tBgB, tBsB] =
      tma_partition(tma.b, _0{}, Layout<_1>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  const auto thread_mma = Mma{}.get_slice(threadIdx.x);
  Tensor tCrA =
      thread_mma.make_fragment_A(thread_mma.partition_A(sA));  // (descriptor, blocks, 64 / 16, stage)
  Tensor tCrB = thread_mma.make_fragment_B(thread_mma.partition_B(sB));  // (descriptor, 1, 64 / 16, stage)
  Tensor accumulators = partition_fragment_C(Mma{}, Shape<TileM, TileN>{});  // (64 × tile_n, blocks, 1)
  clear(accumulators);
  Mma mma;
  if (threadIdx.x == 0) {
    Full::init(&s.full, 1);
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();

  CUTE_NO_UNROLL
  for (int k = 0; k < size<2>(gA); ++k) {
    if (threadIdx.x == 0) {
      Full::arrive_and_expect_tx(&s.full, config.stage_bytes());
      copy(tma.a.with(s.full), tAgA(_, k), tAsA(_, 0));
      copy(tma.b.with(s.full), tBgB(_, k), tBsB(_, 0));
    }
    Full::wait(&s.full, k % 2);
    warpgroup_fence_operand(accumulators);
    warpgroup_arrive();
    gemm(mma, tCrA(_, _, _, 0), tCrB(_, _, _, 0), accumulators);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    warpgroup_fence_operand(accumulators);
    __syncthreads();  // everyone has read the stage
  }

  CUTE_UNROLL
  for (int i = 0; i < size<1>(accumulators); ++i) {
    Tensor block = accumulators(_, i, _0{});  // 64 rows × tile_n
    const int row = tile.m * config.tile_m + i * 64;
    scale(p, block, row, tile.n * config.tile_n, tile.batch);
    store_block(p, block, row, tile.n * config.tile_n, tile.batch);
  }
}

}  // namespace dense_gemm_v0

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace dense_gemm_v0;
  return dense_gemm::door(config, 1, describe, dense_gemm_kernel, params, params_bytes, shape, stream);
}
