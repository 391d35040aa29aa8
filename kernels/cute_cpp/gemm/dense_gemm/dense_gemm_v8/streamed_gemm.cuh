#pragma once
// A GEMM on Hopper whose work comes in items (../work_split.h): whole tiles, or ranges of k where whole tiles
// would leave processors idle. One loading and two multiplying warpgroups; a tile is stored while the next is
// multiplied. What becomes of the sums is the caller's: `Finish` turns a block of 64 rows into 16-bit pairs,
// and its ahead() runs in every consumer thread before a tile, its done() after the last.
// Compiled for one Config (config.h), given as GEMM_* macros.
#include "../door.cuh"
#include "../tile_order.h"
#include "../work_split.h"
#include "config.h"
#include "partial_sums.cuh"
#include "side_stage.cuh"
#include "work_feed.cuh"

namespace dense_gemm_v8 {
using cutlass::arch::NamedBarrier;

constexpr Config config{GEMM_TILE_N,  GEMM_LINES, GEMM_STAGES,         GEMM_CLUSTER_M, GEMM_CLUSTER_N,
                        GEMM_DYNAMIC, GEMM_GAIN,  GEMM_ROW_CONTIGUOUS, GEMM_PROMOTE,   halves};
static_assert(config.smem_bytes() <= smem_limit);
static_assert(config.tile_n % 16 == 0 && config.tile_n <= 256);
static_assert(config.promote == 0 || halves > 0 || config.tile_n <= 192,
              "two sets of sums: at most 192 values a thread");
static_assert(config.cluster_m == 1 || config.cluster_n == 1);
constexpr int store_barrier = 0;  // and the next, one a warpgroup
constexpr int stage_k = tile_k * config.lines;
constexpr int chunks = config.tile_n / 8;  // of four values, of a thread

using TileM = Int<Config::tile_m>;
using TileN = Int<config.tile_n>;
using StageK = Int<stage_k>;
using SmemA = SmemLayout<major_a, Config::tile_m, config.stages, stage_k>;  // (128, stage_k, stages)
using SmemB = SmemLayout<major_b, config.tile_n, config.stages, stage_k>;   // (tile_n, stage_k, stages)
using Mma = decltype(make_tiled_mma(
    GMMA::ss_op_selector<Element, Element, float, Shape<TileM, TileN, Int<tile_k>>, major_a, major_b>(),
    Layout<Shape<Int<config.consumers()>, _1, _1>>{}));
using Ring = RingPosition<config.stages>;
using Role = Feed<config.dynamic != 0, config.cluster()>;

// D leaves in slices of 64 rows through two buffers a warpgroup.
constexpr int tile_columns = config.tile_n / GEMM_SHRINK;  // of D
constexpr int store_columns = GEMM_SHRINK == 1 ? config.store_columns() : 64;
constexpr int slices = tile_columns / store_columns;
static_assert(tile_columns % store_columns == 0);
using StoreTile = Shape<_64, Int<store_columns>>;
using SmemD = decltype(tile_to_shape(  // (64, store_columns), swizzled where a row is 128 bytes
    conditional_t<store_columns == 64, GMMA::Layout_K_SW128_Atom<Result>,
                  Layout<Shape<_1, Int<store_columns>>, Stride<_0, _1>>>{},
    StoreTile{}));

struct Storage {
  alignas(1024) Element a[cosize_v<SmemA>];
  alignas(1024) Element b[cosize_v<SmemB>];
  struct alignas(1024) Slice {
    Result d[config.row_contiguous ? 1 : cosize_v<SmemD>];
  } slices[config.row_contiguous ? 0 : config.consumers()][2];
  uint64_t full[config.stages];
  uint64_t empty[config.stages];
  ItemRing items;
};

__device__ PartialSums<chunks, config.gain != 0> partial_sums;

template <int sharing>
using Load = conditional_t<sharing == 1, SM90_TMA_LOAD, SM90_TMA_LOAD_MULTICAST>;

auto load_a(const Params& p) {
  return make_tma_atom(Load<config.cluster_n>{}, operand<major_a>(p.a, p.m, p.k, p.batch),
                       SmemA{}(_, _, _0{}), Shape<TileM, StageK>{}, Int<config.cluster_n>{});
}
auto load_b(const Params& p) {
  return make_tma_atom(Load<config.cluster_m>{}, operand<major_b>(p.b, p.n, p.k, p.batch),
                       SmemB{}(_, _, _0{}), Shape<TileN, StageK>{}, Int<config.cluster_m>{});
}
auto store_d(const Params& p) {
  Params narrow = p;
  narrow.n = p.n / GEMM_SHRINK;
  return make_tma_copy(SM90_TMA_STORE{}, output(narrow), SmemD{});
}
struct NoStore {};
auto store_of(const Params& p) {
  if constexpr (config.row_contiguous)
    return NoStore{};
  else
    return store_d(p);
}

/// TMA descriptors, and what the caller wants done with the sums.
template <class Finish>
struct Descriptors : SideDescriptors {
  decltype(load_a(Params{})) a;
  decltype(load_b(Params{})) b;
  decltype(store_of(Params{})) d;
  Finish finish;
};
template <class Finish>
Descriptors<Finish> described(const Params& p, const Finish& finish) {
  return {side_descriptors(p, finish), load_a(p), load_b(p), store_of(p), finish};
}

/// Which tiles there are, in which order, and how they are cut into items.
struct Schedule {
  TileOrder order;
  int rank;  // of this CTA in its cluster
  WorkSplit work;
  CUTE_DEVICE Schedule(const Params& p, int cta_rank)
      : order{ceil_div(p.m, Config::tile_m * config.cluster_m),
              ceil_div(p.n, config.tile_n * config.cluster_n), p.batch, p.tile_group},
        rank(cta_rank),
        work(WorkSplit::of(order.count(), stages_of(ceil_div(p.k, StageK{})), clusters(), config.gain)) {}
  CUTE_DEVICE OutputTile at(int index) const {
    const OutputTile block = order.at(index);
    return {block.m * config.cluster_m + rank % config.cluster_m,
            block.n * config.cluster_n + rank / config.cluster_m, block.batch};
  }
  CUTE_DEVICE static int clusters() { return gridDim.x / config.cluster(); }
  CUTE_DEVICE static Role feed(Storage& s) {
    return {s.items, static_cast<int>(blockIdx.x / config.cluster()), clusters(), {}};
  }
};

/// One thread: fills stage after stage as consumers of all CTAs it writes to leave them. In the cluster's
/// first CTA it also fetches the items, of which `first` is there already.
template <class Finish>
CUTE_DEVICE void load_items(const Params& p, const Descriptors<Finish>& tma, Storage& s,
                            const Schedule& schedule, unsigned first) {
  Tensor gA = local_tile(tma.a.get_tma_tensor(make_shape(p.m, p.k, p.batch)), Shape<TileM, StageK>{},
                         make_coord(_, _, _));  // (128, stage_k, tile row, stage, batch)
  Tensor gB = local_tile(tma.b.get_tma_tensor(make_shape(p.n, p.k, p.batch)), Shape<TileN, StageK>{},
                         make_coord(_, _, _));  // (tile_n, stage_k, tile column, stage, batch)
  Tensor sA = make_tensor(make_smem_ptr(s.a), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(s.b), SmemB{});
  const auto [tAgA, tAsA] =
      tma_partition(tma.a, schedule.rank / config.cluster_m, Layout<Int<config.cluster_n>>{},
                    group_modes<0, 2>(sA), group_modes<0, 2>(gA));  // (box, …), (box, stage)
  const auto [tBgB, tBsB] =
      tma_partition(tma.b, schedule.rank % config.cluster_m, Layout<Int<config.cluster_m>>{},
                    group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  constexpr uint16_t everyone = (1 << config.cluster()) - 1;
  const WorkSplit& work = schedule.work;
  const bool fetches = config.dynamic && schedule.rank == 0;
  Source<config.cluster()> source{s.items, work.count(), Schedule::clusters(), {}};
  Role feed = Schedule::feed(s);
  Ring ring;
  int item = fetches ? source.hand_out(first) : feed.next(true);
  while (item < work.count()) {
    const int end = work.end(item);
    unsigned next = 0;
    bool fetched = false;
    for (int at = work.begin(item); at < end;) {
      const Piece piece = work.piece(at, end);
      const OutputTile tile = schedule.at(piece.block);
      for (int k = piece.k_begin; k < piece.k_end; ++k, ++at, ring.advance()) {
        if (fetches && !fetched && end - at <= source.ahead) {
          next = source.fetch();
          fetched = true;
        }
        Empty::wait(&s.empty[ring.stage], ring.parity ^ 1);
        Full::arrive_and_expect_tx(&s.full[ring.stage], config.stage_bytes());
        copy(tma.a.with(s.full[ring.stage], everyone), tAgA(_, tile.m, k, tile.batch), tAsA(_, ring.stage));
        copy(tma.b.with(s.full[ring.stage], everyone), tBgB(_, tile.n, k, tile.batch), tBsB(_, ring.stage));
      }
      if constexpr (side_stages > 0) load_side(p, tma, s, tile, ring);
    }
    if (fetches && !fetched) next = source.fetch();  // an empty segment
    item = fetches ? source.hand_out(next) : feed.next(true);
  }
}

/// A consumer warpgroup tells every CTA that writes to this stage that it has read it.
CUTE_DEVICE void release(Storage& s, int stage) {
  const int cta = threadIdx.x % 128;
  Empty::arrive(&s.empty[stage], cta, cta < config.cluster());
}

/// The results of a tile as 16-bit pairs, waiting to be stored while the next piece is multiplied.
struct Pending {
  uint32_t pairs[tile_columns / 4];  // in the order of WGMMA's accumulators
  OutputTile tile;
  bool any = false;
};

/// Where a consumer warpgroup stands in its own stores.
template <class Finish>
struct Store {
  const Params& p;
  const Descriptors<Finish>& tma;
  Storage& s;
  float alpha;
  int warpgroup;
  int thread;
  CUTE_DEVICE Store(const Params& params, const Descriptors<Finish>& descriptors, Storage& storage)
      : p(params),
        tma(descriptors),
        s(storage),
        alpha(factor(params)),
        warpgroup(threadIdx.x / 128 - 1),
        thread(threadIdx.x % 128) {}
  CUTE_DEVICE int block_row(const OutputTile& tile) const {  // in blocks of 64 rows
    return tile.m * config.consumers() + warpgroup;
  }

  /// What the caller's step has fetched for a tile, before it is multiplied.
  CUTE_DEVICE auto ahead(const OutputTile& tile) const {
    return tma.finish.ahead(p, block_row(tile) * 64, tile.n * config.tile_n, tile.batch);
  }

  /// Finishes the sums, so that they are free for the next tile.
  template <class Accumulators, class Kept>
  CUTE_DEVICE void take(Accumulators& accumulators, const OutputTile& tile, Kept& kept,
                        Pending& pending) const {
    Tensor block = accumulators(_, _0{}, _0{});  // 64 rows × tile_n
    if constexpr (config.row_contiguous) {
      tma.finish.store_transposed(p, alpha, block, block_row(tile) * 64, tile.n * config.tile_n, tile.batch);
    } else {
      tma.finish(p, alpha, block, kept, block_row(tile) * 64, tile.n * config.tile_n, tile.batch,
                 pending.pairs);
      pending.tile = tile;
      pending.any = true;
    }
  }

  /// Hands slice number `index` to TMA through one of two buffers; TMA reads one while the other is filled.
  template <int index>
  CUTE_DEVICE void slice(const Pending& pending) const {
    Tensor sD = make_tensor(make_smem_ptr(s.slices[warpgroup][index % 2].d), SmemD{});  // (64, store_columns)
    // Two stores ago this buffer was handed out; with an odd number of slices, one store ago.
    if (thread == 0) tma_store_wait<(index == 0 && slices % 2 == 1) ? 0 : 1>();
    NamedBarrier::sync(128, store_barrier + warpgroup);
    const int row = thread / 32 * 16 + thread % 16;  // whose address this lane gives to stmatrix
    const int half = thread % 32 / 16 * 8;
    CUTE_UNROLL
    for (int j = 0; j < store_columns; j += 16) {
      const uint32_t* four = pending.pairs + (index * store_columns + j) / 4;
      SM90_U32x4_STSM_N::copy(four[0], four[1], four[2], four[3],
                              reinterpret_cast<uint128_t&>(sD(row, j + half)));
    }
    tma_store_fence();
    NamedBarrier::sync(128, store_barrier + warpgroup);
    if (thread == 0 && pending.any) {
      const auto& tile = pending.tile;
      Tensor gD = local_tile(tma.d.get_tma_tensor(make_shape(p.m, p.n / GEMM_SHRINK, p.batch)), StoreTile{},
                             make_coord(block_row(tile), tile.n * slices + index,
                                        tile.batch));  // (64, store_columns)
      const auto store = tma.d.get_slice(_0{});
      copy(tma.d, store.partition_S(sD), store.partition_D(gD));
      tma_store_arrive();
    }
  }
  CUTE_DEVICE void all_slices(const Pending& pending) const {
    if constexpr (!config.row_contiguous)
      for_each(make_int_sequence<slices>{}, [&](auto index) { slice<decltype(index)::value>(pending); });
  }
};

/// Multiplies `depth` stages out of the ring. While the tensor cores work on the first of them, the tile
/// before is stored. With `promote` the tensor cores' own sums, which keep few bits of e4m3 products, begin
/// anew every so many stages and are added in fp32. `first` runs while the first stage is multiplied.
template <class A, class B, class Accumulators, class Finish, class First>
CUTE_DEVICE void multiply(Storage& s, const A& tCrA, const B& tCrB, Accumulators& accumulators, Ring& ring,
                          int depth, const Store<Finish>& store, const Pending& pending, const First& first) {
  Mma mma;
  mma.accumulate_ = GMMA::ScaleOut::Zero;
  const auto stage = [&](auto& sums, const auto& meanwhile) {
    Full::wait(&s.full[ring.stage], ring.parity);
    warpgroup_fence_operand(sums);
    warpgroup_arrive();
    CUTE_UNROLL
    for (int part = 0; part < size<2>(tCrA); ++part) {
      gemm(mma, tCrA(_, _, part, ring.stage), tCrB(_, _, part, ring.stage), sums);
      mma.accumulate_ = GMMA::ScaleOut::One;
    }
    warpgroup_commit_batch();
    meanwhile();
    warpgroup_wait<0>();  // the other warpgroup keeps the tensor cores busy
    warpgroup_fence_operand(sums);
    release(s, ring.stage);
    ring.advance();
  };
  if constexpr (config.promote > 0) {
    first();
    store.all_slices(pending);
    clear(accumulators);
    Tensor sums = make_fragment_like(accumulators);
    for (int k = 1; k <= depth; ++k) {
      stage(sums, [] {});
      constexpr int interval = config.promote > 0 ? config.promote : 1;
      if (k % interval != 0 && k < depth) continue;
      CUTE_UNROLL
      for (int i = 0; i < size(sums); ++i) accumulators(i) += sums(i);
      mma.accumulate_ = GMMA::ScaleOut::Zero;
    }
  } else {
    int k = 0;
    if (!config.row_contiguous && depth >= slices) {
      if constexpr (!config.row_contiguous)
        for_each(make_int_sequence<slices>{}, [&](auto index) {
          stage(accumulators, [&] {
            if constexpr (decltype(index)::value == 0) first();
            store.template slice<decltype(index)::value>(pending);
          });
        });
      k = slices;
    } else {
      first();
      store.all_slices(pending);
    }
    CUTE_NO_UNROLL
    for (; k < depth; ++k) stage(accumulators, [] {});
  }
}

template <class Finish>
CUTE_DEVICE void consume_items(const Params& p, const Descriptors<Finish>& tma, Storage& s,
                               const Schedule& schedule) {
  Tensor sA = make_tensor(make_smem_ptr(s.a), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(s.b), SmemB{});
  const auto thread_mma = Mma{}.get_slice(threadIdx.x - 128);
  Tensor tCrA = thread_mma.make_fragment_A(thread_mma.partition_A(sA));  // (descriptor, 1, k of 16, stage)
  Tensor tCrB = thread_mma.make_fragment_B(thread_mma.partition_B(sB));  // (descriptor, 1, k of 16, stage)
  Tensor accumulators = partition_fragment_C(Mma{}, Shape<TileM, TileN>{});  // (64 × tile_n, 1, 1)
  const WorkSplit& work = schedule.work;
  const Store<Finish> store(p, tma, s);
  const Place place{schedule.rank, config.cluster(), store.warpgroup};
  Role feed = Schedule::feed(s);
  Ring ring;
  Pending pending;
  int item = feed.next(false);
  for (; item < work.whole; item = feed.next(false)) {
    auto kept = store.ahead(schedule.at(item));
    OutputTile tile;
    // In nobody's way there; beside the code of cut tiles ptxas would serialize every WGMMA (C7511).
    const auto first = [&] {
      if constexpr (config.gain == 0) tile = now(schedule.at(item));
    };
    multiply(s, tCrA, tCrB, accumulators, ring, work.depth, store, pending, first);
    if constexpr (config.gain != 0) tile = schedule.at(item);
    store.take(accumulators, tile, kept, pending);
  }
  if constexpr (config.gain != 0)
    for (; item < work.count(); item = feed.next(false))
      for (int at = work.begin(item), end = work.end(item); at < end;) {
        const Piece piece = work.piece(at, end);
        at += piece.depth();
        multiply(s, tCrA, tCrB, accumulators, ring, piece.depth(), store, pending, [] {});
        pending = {};  // stored; its registers are free
        if (piece.depth() < work.depth &&
            !complete(partial_sums, work, piece, item - work.whole, place, accumulators))
          continue;
        const OutputTile tile = schedule.at(piece.block);
        auto kept = store.ahead(tile);
        store.take(accumulators, tile, kept, pending);
      }
  store.all_slices(pending);
  tma.finish.done(p);
  if (store.thread == 0) tma_store_wait<0>();  // shared memory stays until TMA has read it
}

template <class Finish>
__global__ void __launch_bounds__(config.block(), 1)
    dense_gemm_kernel(const Params p, const __grid_constant__ Descriptors<Finish> tma) {
  extern __shared__ char raw[];
  const int rank = config.cluster() > 1 ? static_cast<int>(block_rank_in_cluster()) : 0;
  const bool loader = threadIdx.x == 0;
  // Its way to memory overlaps what follows.
  const unsigned first = config.dynamic && loader && rank == 0 ? atomicAdd(&next_item, 1) : 0;
  if (loader) {
    prefetch_tma_descriptor(tma.a.get_tma_descriptor());
    prefetch_tma_descriptor(tma.b.get_tma_descriptor());
    if constexpr (!config.row_contiguous) prefetch_tma_descriptor(tma.d.get_tma_descriptor());
  }
  // The same offset in every CTA of the cluster: multicast writes to equal addresses.
  Storage& s = *reinterpret_cast<Storage*>(raw + (1024 - cast_smem_ptr_to_uint(raw) % 1024) % 1024);
  if (loader) {
    for (int stage = 0; stage < config.stages; ++stage) {
      Full::init(&s.full[stage], 1);
      Empty::init(&s.empty[stage], config.consumers() * config.cluster());
    }
    s.items.init(config.cluster(), config.consumers());
    cutlass::arch::fence_barrier_init();
  }
  config.cluster() > 1 ? cluster_sync() : __syncthreads();

  const Schedule schedule(p, rank);
  if (threadIdx.x < 128) {
    cutlass::arch::warpgroup_reg_dealloc<40>();
    if (loader) load_items(p, tma, s, schedule, first);
  } else {
    cutlass::arch::warpgroup_reg_alloc<232>();
    if constexpr (halves > 0)
      consume_by_halves(p, tma, s, schedule);
    else
      consume_items(p, tma, s, schedule);
  }
  if (config.cluster() > 1) cluster_sync();  // a CTA may still be written to and told of by its neighbour
}

}  // namespace dense_gemm_v8

#include "by_halves.cuh"
