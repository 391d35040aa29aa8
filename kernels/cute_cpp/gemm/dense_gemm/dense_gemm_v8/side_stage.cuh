#pragma once
// Stages of the ring that belong to a tile's last step: after its k the loader fills them with what that step
// reads beside the sums (C), or leaves them free for what it writes beside D. A stage lies where B's does and
// holds 128 rows of half the tile's columns, in boxes of 64 columns and the 128-byte swizzle.
#include "../operands.cuh"
#include "../tile_order.h"

#ifndef GEMM_SHRINK
#define GEMM_SHRINK 1  // columns of the product for one of D
#endif
#ifndef GEMM_HALVES
#define GEMM_HALVES 0  // stages at a tile's begin and end that are multiplied by halves (by_halves.cuh)
#endif
#ifndef GEMM_SIDE
#define GEMM_SIDE 0         // such stages a tile: 1 or 2
#define GEMM_SIDE_READS 0   // 1: the loader fills them
#define GEMM_SIDE_WRITES 0  // 1: the last step's own are stored from them
#endif

namespace dense_gemm_v8 {
using namespace dense_gemm;

constexpr int halves = GEMM_HALVES;
constexpr int side_stages = GEMM_SIDE;
constexpr int side_columns = GEMM_TILE_N / 2;  // of a stage
constexpr bool side_reads = GEMM_SIDE_READS;
constexpr bool side_writes = GEMM_SIDE_WRITES;

/// Stages of a tile that needs `k` of them; by halves, what is beyond k is zeros.
CUTE_HOST_DEVICE constexpr int stages_of(int k) {
  if (halves == 0) return k;
  if (GEMM_PROMOTE > 0) return (k + GEMM_HALVES - 1) / (halves > 0 ? GEMM_HALVES : 1) * GEMM_HALVES;
  return k < 2 * GEMM_HALVES ? 2 * GEMM_HALVES : k;
}

/// Keeps the compiler from finding it only where it is needed.
CUTE_DEVICE OutputTile now(OutputTile tile) {
  asm volatile("" : "+r"(tile.m), "+r"(tile.n), "+r"(tile.batch));
  return tile;
}

/// Where a lane is in such a stage, as ldmatrix and stmatrix move 16 rows × 16 columns of a warp: four pairs
/// a thread, of each eight columns the upper row first, as WGMMA's sums lie.
struct Side {
  static constexpr int box_bytes = 128 * 128;
  uint32_t at_first;  // shared-memory address of the lane's row, its first eight or second eight columns
  /// `warpgroup`: which 64 rows.
  CUTE_HOST_DEVICE static uint32_t first(uint32_t stage, int warpgroup, int thread) {
    const int row = warpgroup * 64 + thread / 32 * 16 + thread % 16;
    return stage + row * 128 + ((thread % 32 / 16) ^ (row % 8)) * 16;
  }
  CUTE_HOST_DEVICE uint32_t at(int column) const {  // a multiple of 16
    return (at_first ^ (column % 64 * 2)) + column / 64 * box_bytes;
  }
  CUTE_DEVICE void read(int column, uint32_t (&pairs)[4]) const {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
                 : "r"(at(column))
                 : "memory");
  }
  CUTE_DEVICE void write(int column, const uint32_t (&pairs)[4]) const {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at(column)),
                 "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                 : "memory");
  }
};

/// (rows, 64) of a box.
template <int rows>
using SideBox = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<Result>{}, Shape<Int<rows>, _64>{}));

inline auto side_matrix(const void* data, int m, int columns, int batch) {  // (m, columns, batch)
  return make_tensor(make_gmem_ptr(static_cast<Result*>(const_cast<void*>(data))),
                     make_shape(m, columns, batch),
                     make_stride(static_cast<int64_t>(columns), _1{}, static_cast<int64_t>(m) * columns));
}
inline auto side_load(const Params& p, const void* data) {
  return make_tma_copy(SM90_TMA_LOAD{}, side_matrix(data, p.m, p.n / GEMM_SHRINK, p.batch), SideBox<128>{});
}
inline auto side_store(const Params& p, void* data) {  // a warpgroup's 64 rows
  return make_tma_copy(SM90_TMA_STORE{}, side_matrix(data, p.m, p.n, p.batch), SideBox<64>{});
}

template <bool wanted>
struct SideIn {};
template <>
struct SideIn<true> {
  decltype(side_load(Params{}, nullptr)) read;
};
template <bool wanted>
struct SideOut {};
template <>
struct SideOut<true> {
  decltype(side_store(Params{}, nullptr)) write;
};
struct SideDescriptors : SideIn<side_reads>, SideOut<side_writes> {};

/// `finish` names what is read (D's columns) and written (the product's) beside.
template <class Finish>
SideDescriptors side_descriptors(const Params& p, const Finish& finish) {
  if constexpr (side_reads && side_writes)
    return {{side_load(p, finish.read_beside())}, {side_store(p, finish.written_beside())}};
  else if constexpr (side_reads)
    return {{side_load(p, finish.read_beside())}, {}};
  else if constexpr (side_writes)
    return {{}, {side_store(p, finish.written_beside())}};
  else
    return {};
}

}  // namespace dense_gemm_v8
