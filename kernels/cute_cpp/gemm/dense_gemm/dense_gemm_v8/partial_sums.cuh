#pragma once
// Tiles whose k is shared by several CTAs: fp32 partial sums in memory, added by the CTA that comes last, in
// the order of k whoever it is. Nobody waits for anybody.
#include "../operands.cuh"
#include "../work_split.h"
#include "config.h"

namespace dense_gemm_v8 {
using namespace dense_gemm;

/// Synchronizes a warpgroup; true for all if it is for one.
CUTE_DEVICE bool any_of_warpgroup(bool mine, int warpgroup) {
  uint32_t any;
  asm volatile(
      "{\n.reg .pred mine, any;\n"
      "setp.ne.u32 mine, %1, 0;\n"
      "barrier.cta.red.or.pred any, %2, 128, mine;\n"
      "selp.u32 %0, 1, 0, any;\n}"
      : "=r"(any)
      : "r"(static_cast<uint32_t>(mine)), "r"(12 + warpgroup)
      : "memory");
  return any != 0;
}

/// Two places for each segment: for its first piece and for one of a later tile. A thread's `chunks` × 4
/// values lie 128 × 16 bytes apart, so that a warpgroup reads and writes whole lines.
template <int chunks, bool used>
struct PartialSums {
  static constexpr int places = used ? 2 * most_ctas : 1;
  float4 values[places][2][chunks][128];
  unsigned arrived[most_ctas][2];  // stages of a tile that are summed, of each warpgroup; 0 between launches
};

/// Where a warpgroup of a CTA stands.
struct Place {
  int rank;     // in the cluster
  int cluster;  // CTAs of it
  int warpgroup;
};

/// Sixteen chunks at a time: adds every segment's part of the block in the order of k.
template <class Sums, class Accumulators>
CUTE_DEVICE void add_parts(Sums& sums, const WorkSplit& work, const Piece& piece, int segment,
                           const Place& place, Accumulators& accumulators) {
  constexpr int chunks = size(Accumulators{}) / 4;
  constexpr int at_a_time = chunks < 16 ? chunks : 16;
  const int thread = threadIdx.x % 128;
  const int block_begin = piece.block * work.depth;
  const int first = work.first_segment(piece.block);
  const int first_begin = work.boundary(first);
  CUTE_UNROLL
  for (int from = 0; from < chunks; from += at_a_time) {
    float total[at_a_time * 4] = {};
    int begin = first_begin, end = 0;
    CUTE_NO_UNROLL
    for (int s = first; begin < block_begin + work.depth; ++s, begin = end) {
      end = work.boundary(s + 1);
      if (begin == end) continue;  // an empty segment
      if (s == segment) {
        CUTE_UNROLL
        for (int i = 0; i < at_a_time * 4; ++i)
          if (from * 4 + i < chunks * 4) total[i] += accumulators(from * 4 + i);
        continue;
      }
      const auto& part =
          sums.values[(s * 2 + (begin < block_begin)) * place.cluster + place.rank][place.warpgroup];
      CUTE_UNROLL
      for (int i = 0; i < at_a_time; ++i) {
        if (from + i >= chunks) continue;
        const float4 four = __ldcg(&part[from + i][thread]);
        total[i * 4] += four.x, total[i * 4 + 1] += four.y;
        total[i * 4 + 2] += four.z, total[i * 4 + 3] += four.w;
      }
    }
    CUTE_UNROLL
    for (int i = 0; i < at_a_time * 4; ++i)
      if (from * 4 + i < chunks * 4) accumulators(from * 4 + i) = total[i];
  }
}

/// True = the accumulators now hold the whole sum of the tile; false = another CTA will complete it.
template <class Sums, class Accumulators>
CUTE_DEVICE bool complete(Sums& sums, const WorkSplit& work, const Piece& piece, int segment,
                          const Place& place, Accumulators& accumulators) {
  const int thread = threadIdx.x % 128;
  unsigned* arrived = &sums.arrived[(piece.block - work.whole) * place.cluster + place.rank][place.warpgroup];
  const auto others = static_cast<unsigned>(work.depth - piece.depth());
  constexpr bool ask_first = size(Accumulators{}) > 32;  // writing fewer costs less than asking
  unsigned seen = 0;
  bool last = false;
  if constexpr (ask_first) {
    if (thread == 0) asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
    last = any_of_warpgroup(thread == 0 && seen == others, place.warpgroup);
  }
  if (!last) {
    const int later = work.boundary(segment) < piece.block * work.depth;
    auto& mine = sums.values[(segment * 2 + later) * place.cluster + place.rank][place.warpgroup];
    CUTE_UNROLL
    for (int i = 0; i < size(Accumulators{}) / 4; ++i)
      __stcg(&mine[i][thread], make_float4(accumulators(i * 4), accumulators(i * 4 + 1),
                                           accumulators(i * 4 + 2), accumulators(i * 4 + 3)));
    __threadfence();
    any_of_warpgroup(false, place.warpgroup);  // all of it is written
    if (thread == 0) seen = atomicAdd(arrived, static_cast<unsigned>(piece.depth()));
    last = any_of_warpgroup(thread == 0 && seen == others, place.warpgroup);
  }
  if (!last) return false;
  __threadfence();
  if (thread == 0) *arrived = 0;
  add_parts(sums, work, piece, segment, place, accumulators);
  return true;
}

}  // namespace dense_gemm_v8
