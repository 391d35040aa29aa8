// Reduction of rows: y[r] = op over c of x[r][c], in fp32.
//
// Memory-bound: x is read once. A thread has several 128-bit loads in flight, folds them into one value for
// each place of a vector, so that the chain of dependent additions stays short, and the row's threads meet in
// shuffles and, beyond a warp, in shared memory.
//
// Compiled for one Config (config.h), given as REDUCE_* macros.
#include <cuda_runtime.h>

#include <cute/tensor.hpp>

#include "config.h"
#include "launch_abi.h"
#include "params.h"

namespace row_reduce {
using namespace cute;

using Element = REDUCE_ELEMENT;
constexpr Config config{REDUCE_THREADS_PER_ROW, REDUCE_ROWS_PER_CTA, REDUCE_VECTOR_ELEMENTS, REDUCE_VECTORS};
constexpr int op = REDUCE_OP;  // 0 sum, 1 largest, 2 least, 3 sum of squares
static_assert(config.threads_per_row >= 32 && (config.threads_per_row & (config.threads_per_row - 1)) == 0);
static_assert(config.block() <= 1024 && op >= 0 && op <= 3);

using Rows = Int<config.rows_per_cta>;
using Threads = Int<config.threads_per_row>;
using Vector = Int<config.vector_elements>;
using Vectors = Int<config.vectors>;
using Tile = Shape<Rows, Int<config.tile_columns()>>;  // (rows_per_cta, columns of one turn)
using Load = Copy_Atom<UniversalCopy<uint_bit_t<sizeof_bits_v<Element> * config.vector_elements>>, Element>;

/// What changes nothing.
CUTE_DEVICE float identity() { return op == 1 ? -INFINITY : op == 2 ? INFINITY : 0.0f; }
/// Two partial results.
CUTE_DEVICE float joined(float a, float b) { return op == 1 ? fmaxf(a, b) : op == 2 ? fminf(a, b) : a + b; }
/// A partial result and an element.
CUTE_DEVICE float folded(float sum, float x) { return op == 3 ? fmaf(x, x, sum) : joined(sum, x); }

/// Over the threads of a row; its first thread gets the result.
CUTE_DEVICE float across_row(float value) {
  CUTE_UNROLL
  for (int lane = 16; lane > 0; lane /= 2) value = joined(value, __shfl_xor_sync(0xffffffffu, value, lane));
  if constexpr (config.warps_per_row() > 1) {
    __shared__ float partial[config.rows_per_cta][config.warps_per_row()];  // (row, warp)
    const int row = threadIdx.x / config.threads_per_row;
    const int warp = threadIdx.x % config.threads_per_row / 32;
    if (threadIdx.x % 32 == 0) partial[row][warp] = value;
    __syncthreads();
    value = identity();
    CUTE_UNROLL
    for (int w = 0; w < config.warps_per_row(); ++w) value = joined(value, partial[row][w]);
  }
  return value;
}

__global__ void __launch_bounds__(config.block()) row_reduce_kernel(const Params p) {
  const auto shape = make_shape(p.rows, p.columns);
  Tensor mX = make_tensor(make_gmem_ptr(static_cast<const Element*>(p.x)), shape,
                          make_stride(p.columns, _1{}));  // (rows, columns)
  Tensor mC = make_identity_tensor(shape);                // (rows, columns) -> its coordinate
  const auto load = make_tiled_copy(Load{}, Layout<Shape<Rows, Threads>, Stride<Threads, _1>>{},
                                    Layout<Shape<_1, Vector>>{})
                        .get_slice(threadIdx.x);
  const auto tiles = static_cast<int>((p.columns + config.tile_columns() - 1) / config.tile_columns());
  const auto tile_of = [&](auto& tensor, int j) {
    return local_tile(tensor, Tile{}, make_coord(static_cast<int>(blockIdx.x), j));
  };

  Tensor part = make_tensor<float>(Vector{});  // one partial result for each place of a vector
  fill(part, identity());
  const long long row = static_cast<long long>(blockIdx.x) * Rows::value + threadIdx.x / Threads::value;
  if (row < p.rows) {
    CUTE_NO_UNROLL
    for (int j = 0; j < tiles; ++j) {
      Tensor tX = load.partition_S(tile_of(mX, j));  // (vector, 1, vectors)
      Tensor tC = load.partition_S(tile_of(mC, j));  // (vector, 1, vectors) of (row, column)
      Tensor rX = make_fragment_like(tX);            // (vector, 1, vectors)
      CUTE_UNROLL
      for (int v = 0; v < Vectors::value; ++v)
        if (get<1>(tC(0, 0, v)) < p.columns) copy(Load{}, tX(_, 0, v), rX(_, 0, v));
      CUTE_UNROLL
      for (int v = 0; v < Vectors::value; ++v)
        if (get<1>(tC(0, 0, v)) < p.columns) {
          CUTE_UNROLL
          for (int i = 0; i < Vector::value; ++i) part(i) = folded(part(i), static_cast<float>(rX(i, 0, v)));
        }
    }
  }
  float value = part(0);
  CUTE_UNROLL
  for (int i = 1; i < Vector::value; ++i) value = joined(value, part(i));
  value = across_row(value);
  if (row < p.rows && threadIdx.x % Threads::value == 0) p.y[row] = value;
}

}  // namespace row_reduce

extern "C" int cutelab_abi_version() { return CUTELAB_ABI_VERSION; }

extern "C" const char* cutelab_error_text(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  if (!params || params_bytes != sizeof(row_reduce::Params) || !shape) return cudaErrorInvalidValue;
  const auto& p = *static_cast<const row_reduce::Params*>(params);
  const bool fits = p.rows >= 1 && p.columns >= 1 && p.columns % row_reduce::config.vector_elements == 0;
  if (!fits || shape->block[0] != static_cast<unsigned>(row_reduce::config.block()))
    return cudaErrorInvalidConfiguration;
  row_reduce::row_reduce_kernel<<<shape->grid[0], shape->block[0], 0, static_cast<cudaStream_t>(stream)>>>(p);
  return cudaGetLastError();
}
