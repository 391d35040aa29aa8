// D = alpha · A · Bᵀ + beta · C on Hopper, third rung: warpgroups have roles.
//
// One warpgroup only loads, two only multiply; they meet at a full and an empty barrier for each stage. The
// loader needs hardly any registers and gives its share to the consumers, whose tile can so be twice as large
// as in v1: 128 × 256, half the loads for the same product.
//
// Compiled for one Config (config.h), given as GEMM_* macros.
#include "../door.cuh"
#include "config.h"

namespace dense_gemm_v2 {
using namespace dense_gemm;
using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;

constexpr Config config{GEMM_TILE_M, GEMM_TILE_N, GEMM_STAGES};
static_assert(config.smem_bytes() <= smem_limit && config.stages >= 2);
static_assert(config.tile_m == 128 && config.tile_n <= 256, "at most 128 accumulators a thread");
using Ring = RingPosition<config.stages>;

using TileM = Int<config.tile_m>;
using TileN = Int<config.tile_n>;
using TileK = Int<tile_k>;
using SmemA = SmemLayout<major_a, config.tile_m, config.stages>;  // (tile_m, 64, stages)
using SmemB = SmemLayout<major_b, config.tile_n, config.stages>;  // (tile_n, 64, stages)
using Mma = TiledMmaOf<config.tile_m, config.tile_n, config.consumers()>;

struct Storage {
  alignas(1024) Element a[cosize_v<SmemA>];
  alignas(1024) Element b[cosize_v<SmemB>];
  uint64_t full[config.stages];
  uint64_t empty[config.stages];
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

/// One thread: fills stage after stage as the consumers leave them.
CUTE_DEVICE void load_tile(const Params& p, const Descriptors& tma, Storage& s, const CtaTile& tile) {
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
  Ring ring;
  for (int k = 0; k < size<2>(gA); ++k, ring.advance()) {
    Empty::wait(&s.empty[ring.stage], ring.parity ^ 1);  // passes at once in the first round
    Full::arrive_and_expect_tx(&s.full[ring.stage], config.stage_bytes());
    copy(tma.a.with(s.full[ring.stage]), tAgA(_, k), tAsA(_, ring.stage));
    copy(tma.b.with(s.full[ring.stage]), tBgB(_, k), tBsB(_, ring.stage));
  }
}

/// A consumer warpgroup: multiplies its 64 rows out of the ring and stores them.
CUTE_DEVICE void multiply_tile(const Params& p, Storage& s, const CtaTile& tile) {
  Tensor sA = make_tensor(make_smem_ptr(s.a), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(s.b), SmemB{});
  const auto thread_mma = Mma{}.get_slice(threadIdx.x - 128);
  Tensor tCrA =
      thread_mma.make_fragment_A(thread_mma.partition_A(sA));  // (descriptor, blocks, 64 / 16, stage)
  Tensor tCrB = thread_mma.make_fragment_B(thread_mma.partition_B(sB));  // (descriptor, 1, 64 / 16, stage)
  Tensor accumulators = partition_fragment_C(Mma{}, Shape<TileM, TileN>{});  // (64 × tile_n, blocks, 1)
  clear(accumulators);
  Mma mma;
  const int k_tiles = ceil_div(p.k, TileK{});
  Ring ring;
  CUTE_NO_UNROLL
  for (int k = 0; k < k_tiles; ++k, ring.advance()) {
    Full::wait(&s.full[ring.stage], ring.parity);
    warpgroup_fence_operand(accumulators);
    warpgroup_arrive();
    gemm(mma, tCrA(_, _, _, ring.stage), tCrB(_, _, _, ring.stage), accumulators);
    warpgroup_commit_batch();
    warpgroup_wait<0>();  // the other warpgroup keeps the tensor cores busy
    warpgroup_fence_operand(accumulators);
    if (threadIdx.x % 128 == 0) Empty::arrive(&s.empty[ring.stage]);
  }
  Tensor block = accumulators(_, _0{}, _0{});  // 64 rows × tile_n
  const int row = tile.m * config.tile_m + (threadIdx.x / 128 - 1) * 64;
  scale(p, block, row, tile.n * config.tile_n, tile.batch);
  store_block(p, block, row, tile.n * config.tile_n, tile.batch);
}

__global__ void __launch_bounds__(config.block(), 1)
    dense_gemm_kernel(const Params p, const __grid_constant__ Descriptors tma) {
  extern __shared__ char raw[];
  Storage& s = *reinterpret_cast<Storage*>(raw + (1024 - cast_smem_ptr_to_uint(raw) % 1024) % 1024);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < config.stages; ++stage) {
      Full::init(&s.full[stage], 1);
      Empty::init(&s.empty[stage], config.consumers());
    }
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  const CtaTile tile(p);
  if (threadIdx.x < 128) {
    cutlass::arch::warpgroup_reg_dealloc<40>();
    if (threadIdx.x < 32 && elect_one_sync()) load_tile(p, tma, s, tile);
  } else {
    cutlass::arch::warpgroup_reg_alloc<232>();
    multiply_tile(p, s, tile);
  }
}

}  // namespace dense_gemm_v2

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace dense_gemm_v2;
  return dense_gemm::door(config, 1, describe, dense_gemm_kernel, params, params_bytes, shape, stream);
}
