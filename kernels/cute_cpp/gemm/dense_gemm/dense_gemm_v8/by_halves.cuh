#pragma once
// How a consumer multiplies its tiles so that the tensor cores need not wait while sums become results. At a
// tile's end the columns of its left half are multiplied first, then those of the right; while the right half
// is multiplied, the left is finished. The right half is finished while the left half of the next tile is
// multiplied. All products are instructions of half the columns: ptxas serializes WGMMA where 64 × 256 and
// 64 × 128 of them share registers (C7511).
#include "streamed_gemm.cuh"

namespace dense_gemm_v8 {
static_assert(halves == 0 || (config.gain == 0 && !config.dynamic && !config.row_contiguous));
static_assert(halves == 0 || config.promote == 0 || config.promote == halves);
static_assert(side_stages == 0 || (halves > 0 && config.promote == 0 && config.lines == 1 &&
                                   config.tile_n % 128 == 0 && sizeof(Element) == 2));

using HalfN = Int<halves == 0 ? config.tile_n : config.tile_n / 2>;
using HalfMma = decltype(make_tiled_mma(
    GMMA::ss_op_selector<Element, Element, float, Shape<TileM, HalfN, Int<tile_k>>, major_a, major_b>(),
    Layout<Shape<Int<config.consumers()>, _1, _1>>{}));

/// The loader's part in a tile's side stages: C's columns, or nothing but leave to write.
template <class Finish>
CUTE_DEVICE void load_side(const Params& p, const Descriptors<Finish>& tma, Storage& s,
                           const OutputTile& tile, Ring& ring) {
  constexpr int boxes = side_columns / 64;
  CUTE_NO_UNROLL
  for (int i = 0; i < side_stages; ++i, ring.advance()) {
    uint64_t& full = s.full[ring.stage];
    Empty::wait(&s.empty[ring.stage], ring.parity ^ 1);
    if constexpr (!side_reads) {
      Empty::arrive(&full);
    } else {
      Full::arrive_and_expect_tx(&full, boxes * Side::box_bytes);
      const auto part = tma.read.get_slice(_0{});
      CUTE_UNROLL
      for (int box = 0; box < boxes; ++box) {
        Tensor gC = local_tile(tma.read.get_tma_tensor(make_shape(p.m, p.n / GEMM_SHRINK, p.batch)),
                               Shape<TileM, _64>{},
                               make_coord(tile.m, (tile.n * side_stages + i) * boxes + box, tile.batch));
        auto* at = reinterpret_cast<Result*>(s.b + ring.stage * (cosize_v<SmemB> / config.stages)) +
                   box * Config::tile_m * 64;
        copy(tma.read.with(full), part.partition_S(gC),
             part.partition_D(make_tensor(make_smem_ptr(at), SideBox<128>{})));
      }
    }
  }
}

template <class Finish>
struct ByHalves {
  using Accumulators = decltype(partition_fragment_C(Mma{}, Shape<TileM, TileN>{}));
  using A = decltype(Mma{}.get_slice(0).make_fragment_A(
      Mma{}.get_slice(0).partition_A(make_tensor(make_smem_ptr(static_cast<Element*>(nullptr)), SmemA{}))));
  using B = decltype(HalfMma{}.get_slice(0).make_fragment_B(HalfMma{}.get_slice(0).partition_B(
      make_tensor(make_smem_ptr(static_cast<Element*>(nullptr)), SmemB{}))));
  using Kept = decltype(declval<Store<Finish>>().ahead(OutputTile{}));
  const Store<Finish>& store;
  Storage& s;
  Accumulators& accumulators;
  A tCrA;     // (descriptor, 1, k of 16, stage)
  B halvesB;  // (descriptor, half, k of 16, stage)
  Kept kept;

  /// 64 rows of half the tile's columns.
  template <int half>
  CUTE_DEVICE auto half_of() const {
    return make_tensor(accumulators.data() + half * (size(Accumulators{}) / 2),
                       partition_fragment_C(HalfMma{}, Shape<TileM, HalfN>{})(_, _0{}, _0{}).layout());
  }

  /// Hands the tensor cores the products of a half out of `halves` stages; `anew`: its sums begin with them.
  template <int half, bool anew>
  CUTE_DEVICE void issue(Ring at) const {
    Tensor sums = half_of<half>();
    issue<half, anew>(at, sums);
  }
  template <int half, bool anew, class Sums>
  CUTE_DEVICE void issue(Ring at, Sums& sums) const {
    HalfMma mma;
    mma.accumulate_ = anew ? GMMA::ScaleOut::Zero : GMMA::ScaleOut::One;
    warpgroup_fence_operand(sums);
    CUTE_UNROLL
    for (int i = 0; i < halves; ++i) {
      if (half == 0) Full::wait(&s.full[at.stage], at.parity);
      warpgroup_arrive();
      CUTE_UNROLL
      for (int part = 0; part < size<2>(tCrA); ++part) {
        gemm(mma, tCrA(_, _0{}, part, at.stage), halvesB(_, Int<half>{}, part, at.stage), sums);
        mma.accumulate_ = GMMA::ScaleOut::One;
      }
      at.advance();
    }
    warpgroup_commit_batch();
  }

  /// Sums of a half become pairs; `side` is where in the ring its side stage is.
  template <int half>
  CUTE_DEVICE void finish(Ring side, Pending& pending) {
    const OutputTile& tile = pending.tile;
    constexpr bool begins = side_stages == 2 || half == 0;
    constexpr bool ends = side_stages == 2 || half == 1;
    Side beside{};
    if constexpr (side_stages > 0) {
      if (begins) Full::wait(&s.full[side.stage], side.parity);
      beside.at_first = Side::first(cast_smem_ptr_to_uint(side_at(side)), store.warpgroup, store.thread);
    }
    Tensor block = half_of<half>();
    store.tma.finish.template half<half>(store.p, store.alpha, block, kept, beside,
                                         store.block_row(tile) * 64, tile.n * config.tile_n, tile.batch,
                                         pending.pairs);
    constexpr int pairs = tile_columns / 8;  // of a half: now, not when they are stored
    CUTE_UNROLL
    for (int i = half * pairs; i < (half + 1) * pairs; ++i) asm volatile("" : "+r"(pending.pairs[i]));
    if constexpr (side_stages > 0) {
      if constexpr (side_writes) tma_store_fence();
      NamedBarrier::sync(128, store_barrier + store.warpgroup);  // the warpgroup has read and written it
      if constexpr (side_writes)
        store_side<half>(side, tile);
      else if (ends)
        release(s, side.stage);
    }
  }
  CUTE_DEVICE Result* side_at(Ring side) const {
    return reinterpret_cast<Result*>(s.b + side.stage * (cosize_v<SmemB> / config.stages));
  }

  template <int half>
  CUTE_DEVICE void store_side(Ring side, const OutputTile& tile) const {
    constexpr int boxes = side_columns / 64;
    if (store.thread != 0) return;
    const auto part = store.tma.write.get_slice(_0{});
    CUTE_UNROLL
    for (int box = 0; box < boxes; ++box) {
      Tensor gX = local_tile(
          store.tma.write.get_tma_tensor(make_shape(store.p.m, store.p.n, store.p.batch)), Shape<_64, _64>{},
          make_coord(store.block_row(tile), (tile.n * 2 + half) * boxes + box, tile.batch));
      Tensor sX = make_tensor(
          make_smem_ptr(side_at(side) + (box * Config::tile_m + store.warpgroup * 64) * 64), SideBox<64>{});
      copy(store.tma.write, part.partition_S(sX), part.partition_D(gX));
    }
    tma_store_arrive();
  }
  /// When TMA has read what was written beside, the stage is the loader's again.
  CUTE_DEVICE void end_side(Ring side) const {
    if constexpr (!side_writes) return;
    if (store.thread != 0) return;
    tma_store_wait<0>();
    for (int cta = 0; cta < config.cluster(); ++cta) Empty::arrive(&s.empty[side.stage], cta, true);
  }

  /// All columns of one stage.
  template <class Meanwhile>
  CUTE_DEVICE void stage(Ring& ring, bool anew, const Meanwhile& meanwhile) {
    HalfMma mma;
    mma.accumulate_ = anew ? GMMA::ScaleOut::Zero : GMMA::ScaleOut::One;
    Full::wait(&s.full[ring.stage], ring.parity);
    Tensor left = half_of<0>();
    Tensor right = half_of<1>();
    warpgroup_fence_operand(accumulators);
    warpgroup_arrive();
    CUTE_UNROLL
    for (int part = 0; part < size<2>(tCrA); ++part) {
      gemm(mma, tCrA(_, _0{}, part, ring.stage), halvesB(_, _0{}, part, ring.stage), left);
      gemm(mma, tCrA(_, _0{}, part, ring.stage), halvesB(_, _1{}, part, ring.stage), right);
      mma.accumulate_ = GMMA::ScaleOut::One;
    }
    warpgroup_commit_batch();
    meanwhile();
    warpgroup_wait<0>();
    warpgroup_fence_operand(accumulators);
    release(s, ring.stage);
    ring.advance();
  }
  CUTE_DEVICE void stages(Ring& ring, int count, bool anew) {
    CUTE_NO_UNROLL
    for (int k = 0; k < count; ++k) stage(ring, anew && k == 0, [] {});
  }
  CUTE_DEVICE void release_halved(Ring& ring) const {
    CUTE_UNROLL
    for (int i = 0; i < halves; ++i, ring.advance()) release(s, ring.stage);
  }

  /// The first stages of a tile, and the right half of the tile before.
  CUTE_DEVICE void first(Ring& ring, OutputTile& tile, const Schedule& schedule, int item, Pending& pending) {
    const Ring side = ring;
    if constexpr (side_stages > 0) ring.advance();
    issue<0, true>(ring);
    finish<1>(side, pending);
    issue<1, true>(ring);
    tile = now(schedule.at(item));  // its divisions are not in the tensor cores' way
    kept = store.ahead(tile);
    warpgroup_wait<0>();
    warpgroup_fence_operand(accumulators);
    release_halved(ring);
    end_side(side);
  }

  /// Stages whose columns are multiplied together; meanwhile the tile before is stored.
  CUTE_DEVICE void middle(Ring& ring, int count, const Pending& pending) {
    if (count < slices) {
      store.all_slices(pending);
      return stages(ring, count, false);
    }
    for_each(make_int_sequence<slices>{}, [&](auto index) {
      stage(ring, false, [&] { store.template slice<decltype(index)::value>(pending); });
    });
    stages(ring, count - slices, false);
  }

  /// The last stages of a tile, and its left half.
  CUTE_DEVICE void last(Ring& ring, const OutputTile& tile, Pending& pending) {
    issue<0, false>(ring);
    issue<1, false>(ring);
    warpgroup_wait<1>();
    Tensor left = half_of<0>();
    warpgroup_fence_operand(left);
    pending.tile = tile;
    pending.any = true;
    Ring side = ring;
    CUTE_UNROLL
    for (int i = 0; i < halves; ++i) side.advance();
    finish<0>(side, pending);
    warpgroup_wait<0>();
    Tensor right = half_of<1>();
    warpgroup_fence_operand(right);
    release_halved(ring);
    end_side(side);
    if constexpr (side_stages == 2) ring.advance();  // to the right half's side stage
  }

  /// All columns of `halves` stages in fp32: the tensor cores' own sums are of half the columns, so that a
  /// tile of 256 columns and they fit into a thread's registers.
  template <bool anew, class Meanwhile>
  CUTE_DEVICE void promoted(Ring& ring, const Meanwhile& meanwhile) {
    Tensor sums = make_fragment_like(half_of<0>());
    const auto add = [&](auto half) {
      warpgroup_wait<0>();
      warpgroup_fence_operand(sums);
      Tensor to = half_of<decltype(half)::value>();
      CUTE_UNROLL
      for (int i = 0; i < size(sums); ++i) to(i) = anew ? sums(i) : to(i) + sums(i);
    };
    issue<0, true>(ring, sums);
    meanwhile();  // all of it here: beside the second half's sums there are no registers for it
    add(_0{});
    issue<1, true>(ring, sums);
    add(_1{});
    release_halved(ring);
  }

  /// Stores the tile that is in the accumulators, a slice at a time.
  CUTE_DEVICE void store_tile(const Pending& pending) {
    const OutputTile& tile = pending.tile;
    Pending part;  // its pairs live from here to the store
    part.tile = tile;
    part.any = pending.any;
    for_each(make_int_sequence<slices>{}, [&](auto index) {
      constexpr int i = decltype(index)::value;
      Tensor block =
          make_tensor(accumulators.data() + i * store_columns / 2, Layout<Shape<Int<store_columns / 2>>>{});
      store.tma.finish(store.p, store.alpha, block, kept, store.block_row(tile) * 64,
                       tile.n * config.tile_n + i * store_columns, tile.batch,
                       part.pairs + i * store_columns / 4);
      store.template slice<i>(part);
    });
  }

  /// All tiles of this CTA, e4m3 with fp32 sums; a tile is stored while the next one's first products are
  /// made.
  CUTE_DEVICE void run_promoted(const Schedule& schedule, Role& feed, Pending& pending) {
    const WorkSplit& work = schedule.work;
    Ring ring;
    clear(accumulators);
    for (int item = feed.next(false); item < work.count(); item = feed.next(false)) {
      promoted<true>(ring, [&] { store_tile(pending); });
      pending.tile = schedule.at(item);
      pending.any = true;
      CUTE_NO_UNROLL
      for (int k = halves; k < work.depth; k += halves) promoted<false>(ring, [] {});
    }
    store_tile(pending);
  }

  /// All tiles of this CTA.
  CUTE_DEVICE void run(const Schedule& schedule, Role& feed, Pending& pending) {
    const WorkSplit& work = schedule.work;
    Ring ring;
    int item = feed.next(false);
    if (item >= work.count()) return;
    OutputTile tile = schedule.at(item);
    kept = store.ahead(tile);
    stages(ring, work.depth - halves, true);
    while (true) {
      last(ring, tile, pending);
      item = feed.next(false);
      if (item >= work.count()) break;
      first(ring, tile, schedule, item, pending);
      middle(ring, work.depth - 2 * halves, pending);
    }
    finish<1>(ring, pending);
    store.all_slices(pending);
  }
};

template <class Finish>
CUTE_DEVICE void consume_by_halves(const Params& p, const Descriptors<Finish>& tma, Storage& s,
                                   const Schedule& schedule) {
  typename ByHalves<Finish>::Accumulators accumulators;
  const Store<Finish> store(p, tma, s);
  const auto thread_mma = Mma{}.get_slice(threadIdx.x - 128);
  const auto half_mma = HalfMma{}.get_slice(threadIdx.x - 128);
  ByHalves<Finish> consumer{
      store,
      s,
      accumulators,
      thread_mma.make_fragment_A(thread_mma.partition_A(make_tensor(make_smem_ptr(s.a), SmemA{}))),
      half_mma.make_fragment_B(half_mma.partition_B(make_tensor(make_smem_ptr(s.b), SmemB{}))),
      {}};
  Role feed = Schedule::feed(s);
  Pending pending;
  if constexpr (config.promote > 0)
    consumer.run_promoted(schedule, feed, pending);
  else
    consumer.run(schedule, feed, pending);
  tma.finish.done(p);
  if (store.thread == 0) tma_store_wait<0>();  // shared memory stays until TMA has read it
}

}  // namespace dense_gemm_v8
