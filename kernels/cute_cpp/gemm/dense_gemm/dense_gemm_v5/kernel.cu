// D = alpha · A · Bᵀ + beta · C on Hopper: persistent CTAs, one loading and two multiplying warpgroups.
//
// The loader fills a ring of stages by TMA, sharing one operand with its neighbour in the cluster; the
// consumers multiply out of the ring with WGMMA. At the end of a tile they only round the accumulators to
// 16-bit pairs, which halves them, and go on: the pairs are stored slice by slice while the tensor cores work
// on the next tile.
//
// Compiled for one Config (config.h), given as GEMM_* macros.
#include "../door.cuh"
#include "../tile_order.h"
#include "config.h"

namespace dense_gemm_v5 {
using namespace dense_gemm;
using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;
using cutlass::arch::NamedBarrier;

constexpr Config config{GEMM_TILE_M, GEMM_TILE_N, GEMM_STAGES, GEMM_CLUSTER_M, GEMM_CLUSTER_N};
static_assert(config.smem_bytes() <= smem_limit);
static_assert(config.tile_m * config.tile_n <= 128 * 256, "at most 128 accumulators a thread");
static_assert(config.cluster_m == 1 || config.cluster_n == 1);
constexpr int store_barrier = 0;  // and the next, one a warpgroup
constexpr int store_columns = config.store_columns();
constexpr int blocks = config.tile_m / 64 / config.consumers();  // of 64 rows, a consumer's share of a tile
constexpr int slices_per_block = config.tile_n / store_columns;
constexpr int slices = blocks * slices_per_block;

using TileM = Int<config.tile_m>;
using TileN = Int<config.tile_n>;
using TileK = Int<tile_k>;
using SmemA = SmemLayout<major_a, config.tile_m, config.stages>;  // (tile_m, 64, stages)
using SmemB = SmemLayout<major_b, config.tile_n, config.stages>;  // (tile_n, 64, stages)
using StoreTile = Shape<_64, Int<store_columns>>;
using SmemD = decltype(tile_to_shape(  // (64, store_columns), swizzled where a row is 128 bytes
    conditional_t<store_columns == 64, GMMA::Layout_K_SW128_Atom<Element>,
                  Layout<Shape<_1, Int<store_columns>>, Stride<_0, _1>>>{},
    StoreTile{}));
using Mma = TiledMmaOf<config.tile_m, config.tile_n, config.consumers()>;
using Ring = RingPosition<config.stages>;

struct Storage {
  alignas(1024) Element a[cosize_v<SmemA>];
  alignas(1024) Element b[cosize_v<SmemB>];
  struct alignas(1024) Slice {
    Element d[cosize_v<SmemD>];
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
  Ring ring;
  for (int index = schedule.first(); index < schedule.order.count(); index += schedule.step()) {
    const OutputTile tile = schedule.at(index);
    for (int k = 0; k < k_tiles; ++k, ring.advance()) {
      Empty::wait(&s.empty[ring.stage], ring.parity ^ 1);
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

/// The results of a tile as 16-bit pairs, waiting to be stored while the next tile is multiplied.
struct Pending {
  uint32_t pairs[blocks][config.tile_n / 4];  // (64-row block, pair in the order of WGMMA's accumulators)
  OutputTile tile;
  bool any = false;
};

/// Where a consumer warpgroup stands in its own stores: TMA descriptor, buffers, this thread's place in a
/// slice.
struct Store {
  const Params& p;
  const Descriptors& tma;
  Storage& s;
  int warpgroup;
  int thread;
  CUTE_DEVICE Store(const Params& params, const Descriptors& descriptors, Storage& storage)
      : p(params),
        tma(descriptors),
        s(storage),
        warpgroup(threadIdx.x / 128 - 1),
        thread(threadIdx.x % 128) {}
  CUTE_DEVICE int block_row(const OutputTile& tile, int i) const {  // in blocks of 64 rows
    return (tile.m * blocks + i) * config.consumers() + warpgroup;
  }

  /// Rounds the accumulators, so that they are free for the next tile.
  template <class Accumulators>
  CUTE_DEVICE void take(Accumulators& accumulators, const OutputTile& tile, Pending& pending) const {
    CUTE_UNROLL
    for (int i = 0; i < blocks; ++i) {
      Tensor block = accumulators(_, i, _0{});  // 64 rows × tile_n
      scale(p, block, block_row(tile, i) * 64, tile.n * config.tile_n, tile.batch);
      CUTE_UNROLL
      for (int v = 0; v < size(block); v += 2) pending.pairs[i][v / 2] = packed(block(v), block(v + 1));
    }
    pending.tile = tile;
    pending.any = true;
  }

  /// Hands slice number `index` to TMA through one of two buffers; TMA reads one while the other is filled.
  template <int index>
  CUTE_DEVICE void slice(const Pending& pending) const {
    constexpr int i = index / slices_per_block;
    constexpr int column = index % slices_per_block;
    Tensor sD = make_tensor(make_smem_ptr(s.slices[warpgroup][index % 2].d), SmemD{});  // (64, store_columns)
    // Two stores ago this buffer was handed out; with an odd number of slices, one store ago.
    if (thread == 0) tma_store_wait<(index == 0 && slices % 2 == 1) ? 0 : 1>();
    NamedBarrier::sync(128, store_barrier + warpgroup);
    const int row = thread / 32 * 16 + thread % 16;  // whose address this lane gives to stmatrix
    const int half = thread % 32 / 16 * 8;
    CUTE_UNROLL
    for (int j = 0; j < store_columns; j += 16) {
      const uint32_t* four = pending.pairs[i] + (column * store_columns + j) / 4;
      SM90_U32x4_STSM_N::copy(four[0], four[1], four[2], four[3],
                              reinterpret_cast<uint128_t&>(sD(row, j + half)));
    }
    tma_store_fence();
    NamedBarrier::sync(128, store_barrier + warpgroup);
    if (thread == 0 && pending.any) {
      Tensor gD =
          local_tile(tma.d.get_tma_tensor(make_shape(p.m, p.n, p.batch)), StoreTile{},
                     make_coord(block_row(pending.tile, i), pending.tile.n * slices_per_block + column,
                                pending.tile.batch));  // (64, store_columns)
      const auto store = tma.d.get_slice(_0{});
      copy(tma.d, store.partition_S(sD), store.partition_D(gD));
      tma_store_arrive();
    }
  }
};

/// Multiplies one tile out of the ring. While the tensor cores work on its first k-tiles, the tile before is
/// stored.
template <class A, class B, class Accumulators>
CUTE_DEVICE void multiply_tile(Storage& s, const A& tCrA, const B& tCrB, Accumulators& accumulators,
                               Ring& ring, int k_tiles, const Store& store, const Pending& pending) {
  Mma mma;
  mma.accumulate_ = GMMA::ScaleOut::Zero;
  const auto k_tile = [&](const auto& meanwhile) {
    Full::wait(&s.full[ring.stage], ring.parity);
    warpgroup_fence_operand(accumulators);
    warpgroup_arrive();
    CUTE_UNROLL
    for (int part = 0; part < size<2>(tCrA); ++part) {
      gemm(mma, tCrA(_, _, part, ring.stage), tCrB(_, _, part, ring.stage), accumulators);
      mma.accumulate_ = GMMA::ScaleOut::One;
    }
    warpgroup_commit_batch();
    meanwhile();
    warpgroup_wait<0>();  // the other warpgroup keeps the tensor cores busy
    warpgroup_fence_operand(accumulators);
    release(s, ring.stage);
    ring.advance();
  };
  int k = 0;
  if (k_tiles >= slices) {
    for_each(make_int_sequence<slices>{},
             [&](auto index) { k_tile([&] { store.template slice<decltype(index)::value>(pending); }); });
    k = slices;
  } else {
    for_each(make_int_sequence<slices>{},
             [&](auto index) { store.template slice<decltype(index)::value>(pending); });
  }
  CUTE_NO_UNROLL
  for (; k < k_tiles; ++k) k_tile([] {});
}

CUTE_DEVICE void consume_tiles(const Params& p, const Descriptors& tma, Storage& s,
                               const Schedule& schedule) {
  Tensor sA = make_tensor(make_smem_ptr(s.a), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(s.b), SmemB{});
  const auto thread_mma = Mma{}.get_slice(threadIdx.x - 128);
  Tensor tCrA =
      thread_mma.make_fragment_A(thread_mma.partition_A(sA));  // (descriptor, blocks, 64 / 16, stage)
  Tensor tCrB = thread_mma.make_fragment_B(thread_mma.partition_B(sB));  // (descriptor, 1, 64 / 16, stage)
  Tensor accumulators = partition_fragment_C(Mma{}, Shape<TileM, TileN>{});  // (64 × tile_n, blocks, 1)
  const int k_tiles = ceil_div(p.k, TileK{});
  const Store store(p, tma, s);
  Ring ring;
  Pending pending;
  for (int index = schedule.first(); index < schedule.order.count(); index += schedule.step()) {
    multiply_tile(s, tCrA, tCrB, accumulators, ring, k_tiles, store, pending);
    store.take(accumulators, schedule.at(index), pending);
  }
  for_each(make_int_sequence<slices>{},
           [&](auto index) { store.template slice<decltype(index)::value>(pending); });
  if (store.thread == 0) tma_store_wait<0>();  // shared memory stays until TMA has read it
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
      Empty::init(&s.empty[stage], config.consumers() * config.cluster());
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

}  // namespace dense_gemm_v5

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace dense_gemm_v5;
  return dense_gemm::door(config, config.cluster(), describe, dense_gemm_kernel, params, params_bytes, shape,
                          stream);
}
