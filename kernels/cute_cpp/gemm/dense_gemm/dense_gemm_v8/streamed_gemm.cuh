#pragma once
// A GEMM on Hopper whose work comes in items (../work_split.h): whole tiles, or ranges of k where whole tiles
// would leave processors idle. One loading and two multiplying warpgroups; a tile is stored while the next is
// multiplied. What becomes of the sums is the caller's: `Finish` turns a block of 64 rows into 16-bit pairs,
// and its ahead() runs in every consumer thread before a tile, its done() after the last.
//
// Compiled for one Config (config.h), given as GEMM_* macros.
#include "by_halves.cuh"
#include "tile_parts.cuh"

namespace dense_gemm_v8 {

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
  if constexpr (halves > 0) ByHalves<Finish>(store, sA, sB, accumulators).run(schedule, feed, pending);
  int item = halves > 0 ? work.count() : feed.next(false);
  if constexpr (halves == 0)
    for (; item < work.whole; item = feed.next(false)) {
      auto kept = store.ahead(schedule.at(item));
      OutputTile tile;
      multiply(s, tCrA, tCrB, accumulators, ring, work.depth, store, pending, [&] {
        if constexpr (short_end) tile = now(schedule.at(item));
      });
      if constexpr (!short_end) tile = schedule.at(item);
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
  if constexpr (halves == 0 || config.promote == 0) store.all_slices(pending);
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
    consume_items(p, tma, s, schedule);
  }
  if (config.cluster() > 1) cluster_sync();  // a CTA may still be written to and told of by its neighbour
}

}  // namespace dense_gemm_v8
