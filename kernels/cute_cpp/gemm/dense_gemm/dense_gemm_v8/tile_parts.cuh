#pragma once
// What the kernel of streamed_gemm.cuh is made of: layouts in shared memory, TMA descriptors, the order of
// the work, and how a consumer warpgroup hands its results over.
//
// Compiled for one Config (config.h), given as GEMM_* macros.
#include "../door.cuh"
#include "../tile_order.h"
#include "../work_split.h"
#include "config.h"
#include "partial_sums.cuh"
#include "side_stage.cuh"
#include "work_feed.cuh"

#ifndef GEMM_SHRINK
#define GEMM_SHRINK 1  // columns of the product for one of D
#endif
#ifndef GEMM_HALVES
#define GEMM_HALVES 0  // stages at a tile's begin and end that are multiplied by halves (by_halves.cuh)
#endif

#ifndef GEMM_SHORT_END
#define GEMM_SHORT_END \
  0  // 1: a tile's place is computed while its first stage is multiplied, alpha = 1 costs nothing
#endif

namespace dense_gemm_v8 {
using cutlass::arch::NamedBarrier;

constexpr Config config{GEMM_TILE_N,  GEMM_LINES, GEMM_STAGES,         GEMM_CLUSTER_M, GEMM_CLUSTER_N,
                        GEMM_DYNAMIC, GEMM_GAIN,  GEMM_ROW_CONTIGUOUS, GEMM_PROMOTE};
static_assert(config.smem_bytes() <= smem_limit);
static_assert(config.tile_n % 16 == 0 && config.tile_n <= 256);
static_assert(config.promote == 0 || GEMM_HALVES > 0 || config.tile_n <= 192,
              "two sets of sums: at most 192 values a thread");
static_assert(config.cluster_m == 1 || config.cluster_n == 1);
constexpr int store_barrier = 0;  // and the next, one a warpgroup
constexpr int stage_k = tile_k * config.lines;
constexpr int chunks = config.tile_n / 8;  // of four values, of a thread
constexpr int halves = GEMM_HALVES;
constexpr bool short_end = GEMM_SHORT_END;
static_assert(halves == 0 || (config.gain == 0 && !config.row_contiguous));
static_assert(halves == 0 || config.promote == 0 || config.promote == halves);
static_assert(side_stages == 0 ||
              (halves > 0 && config.lines == 1 && config.tile_n % 128 == 0 && sizeof(Element) == 2));

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
  return {side_descriptors<Config::tile_m>(p, p.n / GEMM_SHRINK, finish), load_a(p), load_b(p), store_of(p),
          finish};
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
        work(WorkSplit::of(order.count(), depth(p.k), clusters(), config.gain)) {}
  /// Stages of a tile; by halves, what is beyond k is zeros.
  CUTE_DEVICE static int depth(int k) {
    const int needed = ceil_div(k, StageK{});
    if constexpr (halves == 0) return needed;
    return config.promote > 0 ? round_up(needed, Int<halves>{}) : max(needed, 2 * halves);
  }
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

/// Keeps the compiler from computing it only where it is needed.
CUTE_DEVICE OutputTile now(OutputTile tile) {
  asm volatile("" : "+r"(tile.m), "+r"(tile.n), "+r"(tile.batch));
  return tile;
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
    slice<index>(pending.pairs + index * store_columns / 4, pending.tile, pending.any);
  }
  template <int index>
  CUTE_DEVICE void slice(const uint32_t* pairs, const OutputTile& tile, bool any) const {
    Tensor sD = make_tensor(make_smem_ptr(s.slices[warpgroup][index % 2].d), SmemD{});  // (64, store_columns)
    // Two stores ago this buffer was handed out; with an odd number of slices, one store ago.
    if (thread == 0) tma_store_wait<(index == 0 && slices % 2 == 1) ? 0 : 1>();
    NamedBarrier::sync(128, store_barrier + warpgroup);
    const int row = thread / 32 * 16 + thread % 16;  // whose address this lane gives to stmatrix
    const int half = thread % 32 / 16 * 8;
    CUTE_UNROLL
    for (int j = 0; j < store_columns; j += 16) {
      const uint32_t* four = pairs + j / 4;
      SM90_U32x4_STSM_N::copy(four[0], four[1], four[2], four[3],
                              reinterpret_cast<uint128_t&>(sD(row, j + half)));
    }
    tma_store_fence();
    NamedBarrier::sync(128, store_barrier + warpgroup);
    if (thread == 0 && any) {
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

}  // namespace dense_gemm_v8
