#pragma once
// What every version of the ladder shares: element type and majors (macros of the build), shared-memory
// layouts, views of the operands, the accumulators' way back to 16 bits.

#ifndef GEMM_ELEMENT
#define GEMM_ELEMENT cutlass::bfloat16_t
#endif
#ifndef GEMM_A_K_MAJOR
#define GEMM_A_K_MAJOR 1
#endif
#ifndef GEMM_B_K_MAJOR
#define GEMM_B_K_MAJOR 1
#endif
#ifdef GEMM_ODD_TILE_N  // WGMMA widths between the powers of two: CuTe keeps them in a header of their own
#define CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED
#endif

#include <cuda_runtime.h>
#include <cutlass/arch/barrier.h>
#include <cutlass/arch/reg_reconfig.h>
#include <cutlass/numeric_conversion.h>

#include <cute/arch/cluster_sm90.hpp>
#include <cute/tensor.hpp>

#include "problem.h"

namespace dense_gemm {
using namespace cute;

using Element = GEMM_ELEMENT;  // of A and B
/// Of C and D: A's and B's type where that has 16 bits, else bf16.
using Result = conditional_t<sizeof(Element) == 2, Element, cutlass::bfloat16_t>;
constexpr GMMA::Major major_a = GEMM_A_K_MAJOR ? GMMA::Major::K : GMMA::Major::MN;
constexpr GMMA::Major major_b = GEMM_B_K_MAJOR ? GMMA::Major::K : GMMA::Major::MN;
constexpr int tile_k = 128 / sizeof(Element);  // one row of the 128-byte swizzle

/// (rows, columns_k, stages) in the 128-byte swizzle that TMA writes and WGMMA reads. Where rows are
/// contiguous, atoms of 64 rows × 8 are laid out along k first, so that 64 rows × columns_k are one TMA box.
template <GMMA::Major major, int rows, int stages, int columns_k = tile_k>
using SmemLayout =
    decltype(tile_to_shape(conditional_t<major == GMMA::Major::K, GMMA::Layout_K_SW128_Atom<Element>,
                                         GMMA::Layout_MN_SW128_Atom<Element>>{},
                           Shape<Int<rows>, Int<columns_k>, Int<stages>>{},
                           conditional_t<major == GMMA::Major::K, Step<_1, _2, _3>, Step<_2, _1, _3>>{}));

/// A dense operand in global memory: (rows, k, batch), k or rows contiguous.
template <GMMA::Major major>
auto operand(const void* data, int rows, int k, int batch) {
  const auto shape = make_shape(rows, k, batch);
  const auto pointer = make_gmem_ptr(static_cast<const Element*>(data));
  const int64_t plane = static_cast<int64_t>(rows) * k;
  if constexpr (major == GMMA::Major::K)
    return make_tensor(pointer, shape, make_stride(static_cast<int64_t>(k), _1{}, plane));
  else
    return make_tensor(pointer, shape, make_stride(_1{}, static_cast<int64_t>(rows), plane));
}

inline auto output(const Params& p) {  // (m, n, batch), n contiguous
  return make_tensor(make_gmem_ptr(static_cast<Result*>(p.d)), make_shape(p.m, p.n, p.batch),
                     make_stride(static_cast<int64_t>(p.n), _1{}, static_cast<int64_t>(p.m) * p.n));
}

/// One WGMMA instruction of tile_n columns and 64 rows; `warpgroups` of them one below the other. `tile_m`
/// rows may be a multiple: a warpgroup then computes several blocks of 64 rows.
template <int tile_m, int tile_n, int warpgroups>
using TiledMmaOf = decltype(make_tiled_mma(
    GMMA::ss_op_selector<Element, Element, float, Shape<Int<tile_m>, Int<tile_n>, Int<tile_k>>, major_a,
                         major_b>(),
    Layout<Shape<Int<warpgroups>, _1, _1>>{}));

/// A ring of stages in shared memory: which one is next, and the parity its barrier has then.
template <int stages>
struct RingPosition {
  int stage = 0;
  uint32_t parity = 0;
  CUTE_DEVICE void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  CUTE_DEVICE void advance(int steps) {
    const int total = stage + steps;
    parity ^= total / stages % 2;
    stage = total % stages;
  }
};

/// Two neighbouring results as 32 bits of D, rounded once.
CUTE_DEVICE uint32_t packed(float first, float second) {
  const cutlass::Array<float, 2> wide{first, second};
  const auto narrow = cutlass::NumericArrayConverter<Result, float, 2>{}(wide);
  return reinterpret_cast<const uint32_t&>(narrow);
}

/// What the sums are multiplied by; e4m3 operands bring their scales.
CUTE_DEVICE float factor(const Params& p) {
  return sizeof(Element) == 1 ? p.alpha * *p.scale_a * *p.scale_b : p.alpha;
}

/// Scales a 64-row block of accumulators by `alpha` and adds beta · C. `rows` and `columns` are the block's
/// origin; the layout is WGMMA's: thread t of the warpgroup holds columns 8j + 2(t % 4) + {0, 1} of rows 16(t
/// / 32) + t / 4 % 8 + {0, 8}.
template <class Block>
CUTE_DEVICE void scale(const Params& p, float alpha, Block& block, int row, int column, int batch) {
  CUTE_UNROLL
  for (int i = 0; i < size(block); ++i) block(i) *= alpha;
  if (p.beta == 0) return;
  const int t = threadIdx.x % 128;
  const auto* c =
      static_cast<const Result*>(p.c) + static_cast<int64_t>(batch) * p.m * p.n;  // (m, n) : (n, 1)
  CUTE_UNROLL
  for (int i = 0; i < size(block); i += 2) {
    const int r = row + t / 32 * 16 + t / 4 % 8 + i / 2 % 2 * 8;
    const int col = column + i / 4 * 8 + t % 4 * 2;
    if (r >= p.m || col >= p.n) continue;  // n is even: both columns are inside or neither
    const uint32_t pair = *reinterpret_cast<const uint32_t*>(c + static_cast<int64_t>(r) * p.n + col);
    const auto both = reinterpret_cast<const cutlass::Array<Result, 2>&>(pair);
    block(i) += p.beta * static_cast<float>(both[0]);
    block(i + 1) += p.beta * static_cast<float>(both[1]);
  }
}

template <class Block>
CUTE_DEVICE void scale(const Params& p, Block& block, int row, int column, int batch) {
  scale(p, p.alpha, block, row, column, batch);
}

/// Stores a 64-row block straight from registers, two neighbours (4 bytes) a thread; the layout is that of
/// scale().
template <class Block>
CUTE_DEVICE void store_block(const Params& p, const Block& block, int row, int column, int batch) {
  const int t = threadIdx.x % 128;
  auto* d = static_cast<Result*>(p.d) + static_cast<int64_t>(batch) * p.m * p.n;  // (m, n) : (n, 1)
  CUTE_UNROLL
  for (int i = 0; i < size(block); i += 2) {
    const int r = row + t / 32 * 16 + t / 4 % 8 + i / 2 % 2 * 8;
    const int col = column + i / 4 * 8 + t % 4 * 2;
    if (r < p.m && col < p.n)
      *reinterpret_cast<uint32_t*>(d + static_cast<int64_t>(r) * p.n + col) = packed(block(i), block(i + 1));
  }
}

}  // namespace dense_gemm
