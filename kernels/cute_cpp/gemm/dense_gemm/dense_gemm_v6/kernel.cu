// D = alpha · A · Bᵀ + beta · C on Hopper for skinny problems: too few output tiles to occupy the chip, so a
// cluster shares a tile's k.
//
// Each CTA multiplies its part of k into fp32 partial results, leaves them in its shared memory, and after
// one cluster barrier sums and stores its share of the tile out of the shared memory of all. No workspace, no
// atomics, a fixed order of summation. One operand is nearly all of the bytes: the ring holds as much of it
// in flight as fits.
//
// Compiled for one Config (config.h), given as GEMM_* macros.
#include "../door.cuh"
#include "config.h"

namespace dense_gemm_v6 {
using namespace dense_gemm;
using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;
using cutlass::arch::NamedBarrier;

constexpr Config config{GEMM_TILE_M,     GEMM_TILE_N,      GEMM_STAGE_K,
                        GEMM_STAGES,     GEMM_SPLITS,      GEMM_ROW_CONTIGUOUS != 0,
                        sizeof(Element), GEMM_PROMOTE != 0};
static_assert(config.smem_bytes() <= smem_limit);
static_assert(config.stage_k % tile_k == 0 && config.tile_n % 8 == 0);
static_assert(!config.promote || config.stage_k <= 512);
constexpr int consumer_threads = 128 * config.consumers();

using TileM = Int<config.tile_m>;
using TileN = Int<config.tile_n>;
using StageK = Int<config.stage_k>;
using SmemA = SmemLayout<major_a, config.tile_m, config.stages, config.stage_k>;  // (tile_m, stage_k, stages)
using SmemB = SmemLayout<major_b, config.tile_n, config.stages, config.stage_k>;  // (tile_n, stage_k, stages)
using Mma = TiledMmaOf<config.tile_m, config.tile_n, config.consumers()>;
using Ring = RingPosition<config.stages>;

struct Operands {
  alignas(1024) Element a[cosize_v<SmemA>];
  alignas(1024) Element b[cosize_v<SmemB>];
};
struct Storage {
  union {
    Operands ring;
    alignas(16) float partial[config.partial_bytes() / 4];
  };
  uint64_t full[config.stages];
  uint64_t empty[config.stages];
};

auto load_a(const Params& p) {
  return make_tma_atom(SM90_TMA_LOAD{}, operand<major_a>(p.a, p.m, p.k, p.batch), SmemA{}(_, _, _0{}),
                       Shape<TileM, StageK>{});
}
auto load_b(const Params& p) {
  return make_tma_atom(SM90_TMA_LOAD{}, operand<major_b>(p.b, p.n, p.k, p.batch), SmemB{}(_, _, _0{}),
                       Shape<TileN, StageK>{});
}
struct Descriptors {
  decltype(load_a(Params{})) a;
  decltype(load_b(Params{})) b;
};

/// What this CTA computes: an output tile, a range of stages along k.
struct Part {
  int rank, m, n, batch, k_begin, k_end;
  CUTE_DEVICE explicit Part(const Params& p) : rank(config.splits > 1 ? block_rank_in_cluster() : 0) {
    const int tile = blockIdx.x / config.splits;
    const int rows = ceil_div(p.m, TileM{});
    const int columns = ceil_div(p.n, TileN{});
    const int stages_k = ceil_div(p.k, StageK{});
    m = tile % rows;
    n = tile / rows % columns;
    batch = tile / rows / columns;
    k_begin = stages_k * rank / config.splits;
    k_end = stages_k * (rank + 1) / config.splits;
  }
};

CUTE_DEVICE void load_part(const Params& p, const Descriptors& tma, Storage& s, const Part& part) {
  Tensor gA = local_tile(tma.a.get_tma_tensor(make_shape(p.m, p.k, p.batch)), Shape<TileM, StageK>{},
                         make_coord(part.m, _, part.batch));  // (tile_m, stage_k, k)
  Tensor gB = local_tile(tma.b.get_tma_tensor(make_shape(p.n, p.k, p.batch)), Shape<TileN, StageK>{},
                         make_coord(part.n, _, part.batch));  // (tile_n, stage_k, k)
  Tensor sA = make_tensor(make_smem_ptr(s.ring.a), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(s.ring.b), SmemB{});
  const auto [tAgA, tAsA] =
      tma_partition(tma.a, _0{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  const auto [tBgB, tBsB] =
      tma_partition(tma.b, _0{}, Layout<_1>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  Ring ring;
  for (int k = part.k_begin; k < part.k_end; ++k, ring.advance()) {
    Empty::wait(&s.empty[ring.stage], ring.parity ^ 1);
    Full::arrive_and_expect_tx(&s.full[ring.stage], config.stage_bytes());
    copy(tma.a.with(s.full[ring.stage]), tAgA(_, k), tAsA(_, ring.stage));
    copy(tma.b.with(s.full[ring.stage]), tBgB(_, k), tBsB(_, ring.stage));
  }
}

/// Where the partial result of (row, column) lies: what is contiguous in D is contiguous here.
CUTE_DEVICE int partial_index(int row, int column) {
  return config.row_contiguous ? column * config.partial_pitch() + row
                               : row * config.partial_pitch() + column;
}

/// Multiplies this CTA's part and leaves fp32 partial results in shared memory, where the ring was.
CUTE_DEVICE void multiply_part(Storage& s, const Part& part) {
  Tensor sA = make_tensor(make_smem_ptr(s.ring.a), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(s.ring.b), SmemB{});
  const auto thread_mma = Mma{}.get_slice(threadIdx.x);
  Tensor tCrA =
      thread_mma.make_fragment_A(thread_mma.partition_A(sA));  // (descriptor, 1, stage_k / 16, stage)
  Tensor tCrB =
      thread_mma.make_fragment_B(thread_mma.partition_B(sB));  // (descriptor, 1, stage_k / 16, stage)
  Tensor accumulators = partition_fragment_C(Mma{}, Shape<TileM, TileN>{});
  clear(accumulators);                                 // a CTA whose part of k is empty adds zeros
  Tensor of_stage = make_fragment_like(accumulators);  // with `promote`
  Ring ring;
  CUTE_NO_UNROLL
  for (int k = part.k_begin; k < part.k_end; ++k, ring.advance()) {
    Full::wait(&s.full[ring.stage], ring.parity);
    auto& sums = config.promote ? of_stage : accumulators;
    Mma mma;
    mma.accumulate_ = config.promote ? GMMA::ScaleOut::Zero : GMMA::ScaleOut::One;
    warpgroup_fence_operand(sums);
    warpgroup_arrive();
    CUTE_UNROLL
    for (int part = 0; part < size<2>(tCrA); ++part) {
      gemm(mma, tCrA(_, _, part, ring.stage), tCrB(_, _, part, ring.stage), sums);
      mma.accumulate_ = GMMA::ScaleOut::One;
    }
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    warpgroup_fence_operand(sums);
    if (threadIdx.x % 128 == 0) Empty::arrive(&s.empty[ring.stage]);
    if constexpr (config.promote) {
      CUTE_UNROLL
      for (int i = 0; i < size(sums); ++i) accumulators(i) += sums(i);
    }
  }
  NamedBarrier::sync(consumer_threads, 0);  // every warpgroup has read the ring
  const int row = threadIdx.x / 32 * 16 + threadIdx.x / 4 % 8;
  CUTE_UNROLL
  for (int v = 0; v < size(accumulators); ++v)
    s.partial[partial_index(row + v / 2 % 2 * 8, v / 4 * 8 + threadIdx.x % 4 * 2 + v % 2)] = accumulators(v);
}

/// The same shared-memory address in another CTA of the cluster.
CUTE_DEVICE const float4* of_peer(const float4* mine, int rank) {
  if (config.splits == 1) return mine;
  uint64_t theirs;
  asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
  return reinterpret_cast<const float4*>(theirs);
}

/// Sums eight neighbouring results over the cluster, in rank order.
CUTE_DEVICE void sum_over_cluster(const float* mine, float (&sum)[8]) {
  CUTE_UNROLL
  for (int rank = 0; rank < config.splits; ++rank) {
    const float4* at = of_peer(reinterpret_cast<const float4*>(mine), rank);
    const float4 low = at[0], high = at[1];
    const float part[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    CUTE_UNROLL
    for (int i = 0; i < 8; ++i) sum[i] += part[i];
  }
}

/// Sums and stores this CTA's share of the tile, eight neighbours (16 bytes) a thread.
CUTE_DEVICE void store_share(const Params& p, Storage& s, const Part& part) {
  constexpr int lines = config.row_contiguous ? config.tile_n : config.tile_m;
  constexpr int line_groups = (config.row_contiguous ? config.tile_m : config.tile_n) / 8;
  constexpr int groups = lines * line_groups;
  const int line_origin = config.row_contiguous ? part.n * config.tile_n : part.m * config.tile_m;
  const int group_origin = config.row_contiguous ? part.m * config.tile_m : part.n * config.tile_n;
  const int line_count = config.row_contiguous ? p.n : p.m;
  const int line_length = config.row_contiguous ? p.m : p.n;
  const int64_t plane = static_cast<int64_t>(part.batch) * p.m * p.n;
  const float alpha = factor(p);
  CUTE_NO_UNROLL
  for (int g = part.rank * consumer_threads + threadIdx.x; g < groups;
       g += config.splits * consumer_threads) {
    const int line = g / line_groups;
    const int first = g % line_groups * 8;
    if (line_origin + line >= line_count || group_origin + first >= line_length) continue;
    float sum[8] = {};
    sum_over_cluster(s.partial + line * config.partial_pitch() + first, sum);
    const int64_t at = plane + static_cast<int64_t>(line_origin + line) * line_length + group_origin + first;
    CUTE_UNROLL
    for (int i = 0; i < 8; ++i) {
      sum[i] *= alpha;
      if (p.beta != 0) sum[i] += p.beta * static_cast<float>(static_cast<const Result*>(p.c)[at + i]);
    }
    *reinterpret_cast<uint4*>(static_cast<Result*>(p.d) + at) = make_uint4(
        packed(sum[0], sum[1]), packed(sum[2], sum[3]), packed(sum[4], sum[5]), packed(sum[6], sum[7]));
  }
}

CUTE_DEVICE void everyone_sync() { config.splits > 1 ? cluster_sync() : __syncthreads(); }

__global__ void __launch_bounds__(config.block(), 1)
    dense_gemm_kernel(const Params p, const __grid_constant__ Descriptors tma) {
  extern __shared__ char raw[];
  Storage& s = *reinterpret_cast<Storage*>(raw + (1024 - cast_smem_ptr_to_uint(raw) % 1024) % 1024);
  const bool loader = threadIdx.x >= consumer_threads;
  if (threadIdx.x == consumer_threads) {
    prefetch_tma_descriptor(tma.a.get_tma_descriptor());
    prefetch_tma_descriptor(tma.b.get_tma_descriptor());
    for (int stage = 0; stage < config.stages; ++stage) {
      Full::init(&s.full[stage], 1);
      Empty::init(&s.empty[stage], config.consumers());
    }
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  const Part part(p);
  if (loader) {
    if (elect_one_sync()) load_part(p, tma, s, part);
    __syncwarp();
  } else {
    multiply_part(s, part);
  }
  everyone_sync();  // partial results of the whole cluster are written
  if (!loader) store_share(p, s, part);
  if (config.splits > 1) cluster_sync();  // shared memory stays until the others have read it
}

Descriptors describe(const Params& p) { return {load_a(p), load_b(p)}; }

}  // namespace dense_gemm_v6

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace dense_gemm_v6;
  return dense_gemm::door(config, config.splits, describe, dense_gemm_kernel, params, params_bytes, shape,
                          stream);
}
