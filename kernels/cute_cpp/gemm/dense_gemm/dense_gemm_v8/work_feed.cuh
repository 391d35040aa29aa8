#pragma once
// How the roles of a cluster learn which work item is next: the loading thread of its first CTA takes it from
// a counter in memory shortly before it has issued the last loads of the item before, and writes it into the
// shared memory of every CTA. Taken earlier, it would be missing where another cluster is ahead.
#include "../operands.cuh"

namespace dense_gemm_v8 {
using namespace dense_gemm;
using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;

/// 0 between launches: the fetch that comes last puts it back.
__device__ unsigned next_item;

struct ItemRing {
  static constexpr int slots = 2;
  uint64_t full[slots];
  uint64_t empty[slots];
  uint32_t item[slots];
  /// Readers of a slot: every warp of the consumers, and the loaders of the other CTAs.
  CUTE_DEVICE void init(int cluster, int consumers) {
    for (int slot = 0; slot < slots; ++slot) {
      Full::init(&full[slot], 1);
      Empty::init(&empty[slot], cluster * 4 * consumers + cluster - 1);
    }
  }
};

/// What one role reads: item after item.
template <bool dynamic, int cluster>
struct Feed {
  ItemRing& shared;
  int fixed;  // the item, where each cluster has every step-th
  int step;
  RingPosition<ItemRing::slots> ring;

  /// The next item; `alone`: this thread reads for itself, else for its warp.
  CUTE_DEVICE int next(bool alone) {
    if constexpr (!dynamic) {
      const int item = fixed;
      fixed += step;
      return item;
    }
    Full::wait(&shared.full[ring.stage], ring.parity);
    const int item = *const_cast<volatile uint32_t*>(&shared.item[ring.stage]);
    if (!alone) __syncwarp();  // every lane has read
    const bool tells = alone || threadIdx.x % 32 == 0;
    if constexpr (cluster > 1)
      Empty::arrive(&shared.empty[ring.stage], 0, tells);
    else if (tells)
      Empty::arrive(&shared.empty[ring.stage]);
    ring.advance();
    return item;
  }
};

/// What the cluster's first loader does instead of reading.
template <int cluster>
struct Source {
  static constexpr int ahead = 8;  // stages: the way to memory and back takes less
  ItemRing& shared;
  int count;
  int clusters;
  RingPosition<ItemRing::slots> ring;

  CUTE_DEVICE static unsigned fetch() { return atomicAdd(&next_item, 1); }

  /// Gives `item` to all readers.
  CUTE_DEVICE int hand_out(unsigned item) {
    // Every cluster fetches once beyond the end, so this is the launch's last fetch.
    if (item == static_cast<unsigned>(count + clusters - 1)) atomicExch(&next_item, 0);
    Empty::wait(&shared.empty[ring.stage], ring.parity ^ 1);
    uint64_t& full = shared.full[ring.stage];
    uint32_t& slot = shared.item[ring.stage];
    if constexpr (cluster == 1) {
      *const_cast<volatile uint32_t*>(&slot) = item;
      Empty::arrive(&full);
    } else {
      for (int cta = 0; cta < cluster; ++cta) {
        Full::arrive_and_expect_tx(&full, sizeof item, cta, 1);
        store_shared_remote(item, cast_smem_ptr_to_uint(&slot), cast_smem_ptr_to_uint(&full), cta);
      }
    }
    ring.advance();
    return static_cast<int>(item);
  }
};

}  // namespace dense_gemm_v8
