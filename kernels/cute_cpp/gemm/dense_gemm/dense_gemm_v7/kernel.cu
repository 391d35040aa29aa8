// D = alpha · A · Bᵀ + beta · C on Hopper for short k: two consumers play ping-pong.
//
// Each consumer warpgroup has an output tile of its own. While one multiplies, with the tensor cores for
// itself, the other rounds and stores; then they change places. So the whole way from accumulators to memory
// is hidden, whatever it takes. The price: a tile of 128 × 176 is all that a warpgroup's registers hold, so
// L2 is asked for more.
//
// Compiled for one Config (config.h), given as GEMM_* macros.
#include "../door.cuh"
#include "../tile_order.h"
#include "config.h"
#include "role_timeline.cuh"

namespace dense_gemm_v7 {
using namespace dense_gemm;
using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;
using cutelab::role_timeline::Track;
using cutlass::arch::NamedBarrier;

constexpr Config config{GEMM_TILE_M, GEMM_TILE_N, GEMM_STAGES, GEMM_CLUSTER_M, GEMM_CLUSTER_N};
static_assert(config.smem_bytes() <= smem_limit);
static_assert(config.tile_m == 128 && config.tile_n >= 64 && config.tile_n <= 176,
              "at most 176 accumulators a thread");
static_assert(config.cluster_m == 1 || config.cluster_n == 1);
constexpr int store_barrier = 0;  // and the next, one a warpgroup
constexpr int turn_barrier = 2;   // and the next: it is this warpgroup's turn to multiply
constexpr int blocks = config.tile_m / 64;
constexpr int slices =
    (config.tile_n + 63) / 64;  // of 64 columns; the last begins early enough to end with the tile

using TileM = Int<config.tile_m>;
using TileN = Int<config.tile_n>;
using TileK = Int<tile_k>;
using SmemA = SmemLayout<major_a, config.tile_m, config.stages>;  // (tile_m, 64, stages)
using SmemB = SmemLayout<major_b, config.tile_n, config.stages>;  // (tile_n, 64, stages)
using StoreTile = Shape<_64, _64>;
using SmemD = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<Result>{}, StoreTile{}));
using Mma = TiledMmaOf<config.tile_m, config.tile_n, 1>;
using Ring = RingPosition<config.stages>;

// What a role timeline shows (role_timeline.cuh); the names are at the end of this file.
enum Role : unsigned { loader, first_consumer };
enum Stamp : unsigned { free_stage, issue, turn, full_stage, multiply, store };

struct Storage {
  alignas(1024) Element a[cosize_v<SmemA>];
  alignas(1024) Element b[cosize_v<SmemB>];
  struct alignas(1024) Slice {
    Result d[cosize_v<SmemD>];
  } slices[config.consumers()][2];
  uint64_t full[config.stages];
  uint64_t empty[config.stages];
};

template <int sharing>
using Load = conditional_t<sharing == 1, SM90_TMA_LOAD, SM90_TMA_LOAD_MULTICAST>;

auto load_a(const Params& p) {
  return make_tma_atom(Load<config.cluster_n>{}, operand<major_a>(p.a, p.m, p.k, p.batch),
                       SmemA{}(_, _, _0{}), Shape<TileM, TileK>{}, Int<config.cluster_n>{});
}
auto load_b(const Params& p) {
  return make_tma_atom(Load<config.cluster_m>{}, operand<major_b>(p.b, p.n, p.k, p.batch),
                       SmemB{}(_, _, _0{}), Shape<TileN, TileK>{}, Int<config.cluster_m>{});
}
auto store_d(const Params& p) { return make_tma_copy(SM90_TMA_STORE{}, output(p), SmemD{}); }

struct Descriptors {
  decltype(load_a(Params{})) a;
  decltype(load_b(Params{})) b;
  decltype(store_d(Params{})) d;
};

/// This CTA's share of the tiles: its cluster takes every grid-th block of cluster_m × cluster_n tiles.
struct Schedule {
  TileOrder order;
  int rank;
  CUTE_HOST_DEVICE explicit Schedule(const Params& p, int cta_rank)
      : order{ceil_div(p.m, config.tile_m * config.cluster_m),
              ceil_div(p.n, config.tile_n * config.cluster_n), p.batch, p.tile_group},
        rank(cta_rank) {}
  CUTE_DEVICE OutputTile at(int index) const {
    const OutputTile block = order.at(index);
    return {block.m * config.cluster_m + rank % config.cluster_m,
            block.n * config.cluster_n + rank / config.cluster_m, block.batch};
  }
  CUTE_DEVICE static int first() { return blockIdx.x / config.cluster(); }
  CUTE_DEVICE static int step() { return gridDim.x / config.cluster(); }
};

/// One thread: fills stage after stage as consumers of all CTAs it writes to leave them.
CUTE_DEVICE void load_tiles(const Params& p, const Descriptors& tma, Storage& s, const Schedule& schedule) {
  Tensor gA = local_tile(tma.a.get_tma_tensor(make_shape(p.m, p.k, p.batch)), Shape<TileM, TileK>{},
                         make_coord(_, _, _));  // (tile_m, 64, tile row, k-tile, batch)
  Tensor gB = local_tile(tma.b.get_tma_tensor(make_shape(p.n, p.k, p.batch)), Shape<TileN, TileK>{},
                         make_coord(_, _, _));  // (tile_n, 64, tile column, k-tile, batch)
  Tensor sA = make_tensor(make_smem_ptr(s.a), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(s.b), SmemB{});
  const auto [tAgA, tAsA] =
      tma_partition(tma.a, schedule.rank / config.cluster_m, Layout<Int<config.cluster_n>>{},
                    group_modes<0, 2>(sA), group_modes<0, 2>(gA));  // (box, …), (box, stage)
  const auto [tBgB, tBsB] =
      tma_partition(tma.b, schedule.rank % config.cluster_m, Layout<Int<config.cluster_m>>{},
                    group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  constexpr uint16_t everyone = (1 << config.cluster()) - 1;
  const int k_tiles = size<3>(gA);
  const Track track(loader, true);
  Ring ring;
  for (int index = schedule.first(); index < schedule.order.count(); index += schedule.step()) {
    const OutputTile tile = schedule.at(index);
    const auto of_tile = track.span(issue);
    for (int k = 0; k < k_tiles; ++k, ring.advance()) {
      {
        const auto span = track.span(free_stage);
        Empty::wait(&s.empty[ring.stage], ring.parity ^ 1);
      }
      Full::arrive_and_expect_tx(&s.full[ring.stage], config.stage_bytes());
      copy(tma.a.with(s.full[ring.stage], everyone), tAgA(_, tile.m, k, tile.batch), tAsA(_, ring.stage));
      copy(tma.b.with(s.full[ring.stage], everyone), tBgB(_, tile.n, k, tile.batch), tBsB(_, ring.stage));
    }
  }
}

/// A consumer warpgroup tells every CTA that writes to this stage that it has read it.
CUTE_DEVICE void release(Storage& s, int stage) {
  const int cta = threadIdx.x % 128;
  Empty::arrive(&s.empty[stage], cta, cta < config.cluster());
}

/// Multiplies one tile out of the ring; a stage is released one k-tile later, when its WGMMAs are known to be
/// done.
template <class A, class B, class Accumulators, class Issued>
CUTE_DEVICE void multiply_tile(Storage& s, const A& tCrA, const B& tCrB, Accumulators& accumulators,
                               Ring& ring, int k_tiles, const Track& track, const Issued& issued) {
  Mma mma;
  mma.accumulate_ = GMMA::ScaleOut::Zero;
  int previous = 0;
  const auto of_tile = track.span(multiply);
  CUTE_NO_UNROLL
  for (int k = 0; k < k_tiles; ++k, ring.advance()) {
    {
      const auto span = track.span(full_stage);
      Full::wait(&s.full[ring.stage], ring.parity);
    }
    warpgroup_fence_operand(accumulators);
    warpgroup_arrive();
    CUTE_UNROLL
    for (int part = 0; part < size<2>(tCrA); ++part) {
      gemm(mma, tCrA(_, _, part, ring.stage), tCrB(_, _, part, ring.stage), accumulators);
      mma.accumulate_ = GMMA::ScaleOut::One;
    }
    warpgroup_commit_batch();
    warpgroup_wait<1>();
    warpgroup_fence_operand(accumulators);
    if (k > 0) release(s, previous);
    previous = ring.stage;
  }
  issued();  // the other warpgroup's WGMMAs may queue behind these
  warpgroup_wait<0>();
  warpgroup_fence_operand(accumulators);
  release(s, previous);
}

/// Rounds and stores a tile in slices of 64 × 64, through two buffers: TMA reads one while the other is
/// filled.
template <class Accumulators>
CUTE_DEVICE void store_tile(const Params& p, const Descriptors& tma, Storage& s, Accumulators& accumulators,
                            const OutputTile& tile, int warpgroup, float alpha) {
  const int thread = threadIdx.x % 128;
  const int row = thread / 32 * 16 + thread % 16;  // of the slice, whose address this lane gives to stmatrix
  const int half = thread % 32 / 16 * 8;
  CUTE_UNROLL
  for (int i = 0; i < blocks; ++i) {
    Tensor block = accumulators(_, i, _0{});  // 64 rows × tile_n
    const int first_row = tile.m * config.tile_m + i * 64;
    scale(p, alpha, block, first_row, tile.n * config.tile_n, tile.batch);
    CUTE_UNROLL
    for (int slice = 0; slice < slices; ++slice) {
      const int column = slice * 64 + 64 <= config.tile_n ? slice * 64 : config.tile_n - 64;
      Tensor sD =
          make_tensor(make_smem_ptr(s.slices[warpgroup][(i * slices + slice) % 2].d), SmemD{});  // (64, 64)
      if (thread == 0) tma_store_wait<(blocks * slices) % 2 == 0 ? 1 : 0>();  // this buffer has been read
      NamedBarrier::sync(128, store_barrier + warpgroup);
      CUTE_UNROLL
      for (int j = 0; j < 64; j += 16) {
        const int v = (column + j) / 2;
        SM90_U32x4_STSM_N::copy(packed(block(v), block(v + 1)), packed(block(v + 2), block(v + 3)),
                                packed(block(v + 4), block(v + 5)), packed(block(v + 6), block(v + 7)),
                                reinterpret_cast<uint128_t&>(sD(row, j + half)));
      }
      tma_store_fence();
      NamedBarrier::sync(128, store_barrier + warpgroup);
      if (thread == 0) {
        SM90_TMA_STORE_3D::copy(tma.d.get_tma_descriptor(), raw_pointer_cast(sD.data()),
                                tile.n * config.tile_n + column, first_row, tile.batch);
        tma_store_arrive();
      }
    }
  }
}

/// Tiles number warpgroup, warpgroup + 2, … of this CTA's share.
CUTE_DEVICE void consume_tiles(const Params& p, const Descriptors& tma, Storage& s,
                               const Schedule& schedule) {
  const int warpgroup = threadIdx.x / 128 - 1;
  Tensor sA = make_tensor(make_smem_ptr(s.a), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(s.b), SmemB{});
  const auto thread_mma = Mma{}.get_slice(threadIdx.x % 128);
  Tensor tCrA =
      thread_mma.make_fragment_A(thread_mma.partition_A(sA));  // (descriptor, blocks, 64 / 16, stage)
  Tensor tCrB = thread_mma.make_fragment_B(thread_mma.partition_B(sB));  // (descriptor, 1, 64 / 16, stage)
  Tensor accumulators = partition_fragment_C(Mma{}, Shape<TileM, TileN>{});  // (64 × tile_n, blocks, 1)
  const int k_tiles = ceil_div(p.k, TileK{});
  const int count = schedule.order.count();
  const float alpha = factor(p);
  const Track track(first_consumer + warpgroup, threadIdx.x % 128 == 0);
  Ring ring;
  if (warpgroup == 1) ring.advance(k_tiles);
  bool first = warpgroup == 0;
  for (int index = schedule.first() + warpgroup * schedule.step(); index < count;
       index += 2 * schedule.step()) {
    if (!first) {
      const auto span = track.span(turn);
      NamedBarrier::sync(256, turn_barrier + warpgroup);
    }
    first = false;
    multiply_tile(s, tCrA, tCrB, accumulators, ring, k_tiles, track, [&] {
      if (index + schedule.step() < count) NamedBarrier::arrive(256, turn_barrier + 1 - warpgroup);
    });
    {
      const auto span = track.span(store);
      store_tile(p, tma, s, accumulators, schedule.at(index), warpgroup, alpha);
    }
    ring.advance(k_tiles);  // the other warpgroup's tile
  }
  if (threadIdx.x % 128 == 0) tma_store_wait<0>();  // shared memory stays until TMA has read it
}

__global__ void __launch_bounds__(config.block(), 1)
    dense_gemm_kernel(const Params p, const __grid_constant__ Descriptors tma) {
  extern __shared__ char raw[];
  if (threadIdx.x == 0) {
    prefetch_tma_descriptor(tma.a.get_tma_descriptor());
    prefetch_tma_descriptor(tma.b.get_tma_descriptor());
    prefetch_tma_descriptor(tma.d.get_tma_descriptor());
  }
  // The same offset in every CTA of the cluster: multicast writes to equal addresses.
  Storage& s = *reinterpret_cast<Storage*>(raw + (1024 - cast_smem_ptr_to_uint(raw) % 1024) % 1024);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < config.stages; ++stage) {
      Full::init(&s.full[stage], 1);
      Empty::init(&s.empty[stage], config.cluster());  // one warpgroup of each CTA
    }
    cutlass::arch::fence_barrier_init();
  }
  config.cluster() > 1 ? cluster_sync() : __syncthreads();

  const Schedule schedule(p, config.cluster() > 1 ? static_cast<int>(block_rank_in_cluster()) : 0);
  if (threadIdx.x < 128) {
    cutlass::arch::warpgroup_reg_dealloc<24>();
    if (threadIdx.x < 32 && elect_one_sync()) load_tiles(p, tma, s, schedule);
  } else {
    cutlass::arch::warpgroup_reg_alloc<240>();
    consume_tiles(p, tma, s, schedule);
  }
  if (config.cluster() > 1) cluster_sync();  // a CTA may still be written to and told of by its neighbour
}

Descriptors describe(const Params& p) { return {load_a(p), load_b(p), store_d(p)}; }

}  // namespace dense_gemm_v7

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace dense_gemm_v7;
  return dense_gemm::door(config, config.cluster(), describe, dense_gemm_kernel, params, params_bytes, shape,
                          stream);
}

CUTELAB_STAMPED_ROLES(
    "role loader\nrole consumer 0\nrole consumer 1\n"
    "wait for a free stage\nwork issue copies\n"
    "wait for its turn\nwait for a full stage\nwork multiply\nwork round and store")
