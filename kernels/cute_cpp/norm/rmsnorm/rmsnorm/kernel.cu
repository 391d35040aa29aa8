// RMSNorm forward: y[r][c] = x[r][c] / sqrt(mean over c of x[r][c]^2 + eps) * weight[c]
//
// Memory-bound: the floor is one read of x, one write of y and one read of weight. So a row is read once,
// with 128-bit loads, stays in registers through the reduction, and is written once. Weight comes from L1 for
// every row but the first. A persistent CTA can have the next row's loads in flight while the current row is
// reduced. Sums are fp32.
//
// Compiled for one Config (config.h), given as RMSNORM_* macros.
#include <cuda_runtime.h>
#include <cutlass/numeric_conversion.h>

#include <cute/tensor.hpp>

#include "config.h"
#include "launch_abi.h"
#include "params.h"

#ifndef RMSNORM_ELEMENT
#define RMSNORM_ELEMENT cutlass::bfloat16_t
#endif

namespace rmsnorm {
/// 128-bit load of data that is read once: no place in L1, which weight needs, and the first to leave L2,
/// which y needs: y is what the next kernel reads. The read-only path is right, since nothing writes x
/// meanwhile.
struct LoadOnce128 {
  using SRegisters = cute::uint128_t[1];
  using DRegisters = cute::uint128_t[1];
  CUTE_DEVICE static void copy(const cute::uint128_t& src, cute::uint128_t& dst) {
    auto& d = reinterpret_cast<uint4&>(dst);
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w)
                 : "l"(&src), "l"(policy));
  }
};
}  // namespace rmsnorm

namespace cute {
struct one_thread_128_bit_traits {
  using ThrID = Layout<_1>;                   // one thread …
  using SrcLayout = Layout<Shape<_1, _128>>;  // (thread, bit)
  using DstLayout = Layout<Shape<_1, _128>>;
  using RefLayout = SrcLayout;
};
template <>
struct Copy_Traits<rmsnorm::LoadOnce128> : one_thread_128_bit_traits {};
}  // namespace cute

namespace rmsnorm {
using namespace cute;

using Element = RMSNORM_ELEMENT;
constexpr Config config{RMSNORM_THREADS_PER_ROW, RMSNORM_ELEMENTS_PER_THREAD, RMSNORM_ROWS_PER_CTA,
                        RMSNORM_VECTOR_ELEMENTS, RMSNORM_CTAS_PER_SM,         RMSNORM_PERSISTENT != 0,
                        RMSNORM_PREFETCH != 0,   RMSNORM_READ_ONCE != 0,      RMSNORM_WEIGHT_EARLY != 0};
static_assert(config.threads_per_row >= 32 && (config.threads_per_row & (config.threads_per_row - 1)) == 0);
static_assert(config.block() <= 1024 && config.elements_per_thread % config.vector_elements == 0);
static_assert(config.persistent || !config.prefetch, "there is no next row to prefetch");
static_assert(!config.read_once || config.vector_elements == 8, "the once-only load is 128 bits wide");

using Rows = Int<config.rows_per_cta>;
using Threads = Int<config.threads_per_row>;
using Vector = Int<config.vector_elements>;
using Vectors = Int<config.elements_per_thread / config.vector_elements>;
using RowTile = Shape<Rows, Int<config.row_capacity()>>;  // (rows_per_cta, row_capacity >= hidden)

using PlainCopy = UniversalCopy<uint_bit_t<16 * config.vector_elements>>;
using LoadAtom = Copy_Atom<conditional_t<config.read_once, LoadOnce128, PlainCopy>, Element>;
using PlainAtom = Copy_Atom<PlainCopy, Element>;
using ThreadLayout =
    Layout<Shape<Rows, Threads>, Stride<Threads, _1>>;  // neighbours in a row are neighbours in a warp
using ValueLayout = Layout<Shape<_1, Vector>>;

/// Sum over the threads of one row; every one of them gets it. `turn` alternates, so one barrier per row is
/// enough: the buffer read after this barrier is written again only after the next one.
CUTE_DEVICE float row_sum(float value, int turn) {
  CUTE_UNROLL
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(0xffffffffu, value, lane);
  if constexpr (config.warps_per_row() > 1) {
    __shared__ float partial[2][config.rows_per_cta][config.warps_per_row()];  // (turn, row, warp)
    const int row = threadIdx.x / config.threads_per_row;
    const int warp = threadIdx.x % config.threads_per_row / 32;
    if (threadIdx.x % 32 == 0) partial[turn][row][warp] = value;
    __syncthreads();
    value = 0;
    CUTE_UNROLL
    for (int w = 0; w < config.warps_per_row(); ++w) value += partial[turn][row][w];
  }
  return value;
}

template <class Fragment>
CUTE_DEVICE float sum_of_squares(const Fragment& x) {  // (vector, 1, vectors)
  float sum = 0;
  CUTE_UNROLL
  for (int i = 0; i < size(x); ++i) {
    const float v = static_cast<float>(x(i));
    sum = fmaf(v, v, sum);
  }
  return sum;
}

/// Makes the assembler unpack `x` again after the reduction instead of carrying 32 fp32 values through the
/// barrier, which takes twice the registers and so costs CTAs per SM, that is loads in flight. `zero` is 0,
/// but only at run time; an empty asm statement would be seen through.
template <class Fragment>
CUTE_DEVICE void keep_packed(Fragment& x, uint32_t zero) {  // (vector, 1, vectors)
  Tensor words = recast<uint32_t>(x);
  CUTE_UNROLL
  for (int i = 0; i < size(words); ++i) words(i) ^= zero;
}

/// y = x * scale * weight in fp32, rounded once. Fragments are (vector, 1, vectors).
template <class X, class W, class Y>
CUTE_DEVICE void scale_row(const X& x, const W& weight, float scale, Y& y) {
  constexpr int width = Vector::value;
  using Packed = cutlass::Array<Element, width>;
  Tensor packed = recast<Packed>(y);  // (1, 1, vectors)
  CUTE_UNROLL
  for (int v = 0; v < Vectors::value; ++v) {
    cutlass::Array<float, width> out;
    CUTE_UNROLL
    for (int i = 0; i < width; ++i)
      out[i] = static_cast<float>(x(i, 0, v)) * scale * static_cast<float>(weight(i, 0, v));
    packed(v) = cutlass::NumericArrayConverter<Element, float, width>{}(out);
  }
}

__global__ void __launch_bounds__(config.block(), config.ctas_per_sm) rmsnorm_kernel(const Params p) {
  const auto shape = make_shape(static_cast<int>(p.rows), p.hidden);
  const auto stride = make_stride(static_cast<int64_t>(p.hidden), _1{});
  Tensor mX = make_tensor(make_gmem_ptr(static_cast<const Element*>(p.x)), shape, stride);  // (rows, hidden)
  Tensor mY = make_tensor(make_gmem_ptr(static_cast<Element*>(p.y)), shape, stride);        // (rows, hidden)
  Tensor mW = make_tensor(make_gmem_ptr(static_cast<const Element*>(p.weight)), make_shape(Rows{}, p.hidden),
                          make_stride(_0{}, _1{}));  // (rows_per_cta, hidden), all rows alike
  Tensor mC = make_identity_tensor(shape);           // (rows, hidden) -> its coordinate

  const auto load = make_tiled_copy(LoadAtom{}, ThreadLayout{}, ValueLayout{}).get_slice(threadIdx.x);
  const auto store = make_tiled_copy(PlainAtom{}, ThreadLayout{}, ValueLayout{}).get_slice(threadIdx.x);
  const auto tile_of = [&](auto& tensor, int block) {
    return local_tile(tensor, RowTile{}, make_coord(block, 0));
  };

  // Which of this thread's vectors lie inside a row: the same for every row.
  Tensor tC = load.partition_S(tile_of(mC, 0));             // (vector, 1, vectors) of (row, column)
  Tensor in_row = make_tensor<bool>(Shape<_1, Vectors>{});  // (1, vectors)
  CUTE_UNROLL
  for (int v = 0; v < Vectors::value; ++v) in_row(0, v) = get<1>(tC(0, 0, v)) < p.hidden;
  const int first_row = get<0>(tC(0, 0, 0));  // within the CTA's block of rows

  Tensor gW = load.partition_S(tile_of(mW, 0));  // (vector, 1, vectors)
  const auto fetch = [&](int block, auto& fragment) {
    clear(fragment);
    if (block * Rows::value + first_row < p.rows)
      copy_if(LoadAtom{}, in_row, load.partition_S(tile_of(mX, block)), fragment);
  };

  const int blocks = static_cast<int>(row_blocks(config, p.rows));
  const uint32_t zero = p.hidden < 0;
  const float per_column = 1.0f / static_cast<float>(p.hidden);
  Tensor rW = make_fragment_like(gW);     // (vector, 1, vectors)
  Tensor rX = make_fragment_like(gW);     // (vector, 1, vectors)
  Tensor rNext = make_fragment_like(gW);  // (vector, 1, vectors)
  Tensor rY = make_fragment_like(gW);     // (vector, 1, vectors)
  clear(rW);
  int block = blockIdx.x;
  if (block < blocks) fetch(block, rX);
  CUTE_NO_UNROLL
  for (int turn = 0; block < blocks; block += gridDim.x, turn ^= 1) {
    const int next = config.persistent ? block + gridDim.x : blocks;
    if (config.prefetch && next < blocks) fetch(next, rNext);
    if (config.weight_early) copy_if(PlainAtom{}, in_row, gW, rW);
    const float mean = row_sum(sum_of_squares(rX), turn) * per_column;
    if (!config.weight_early) copy_if(PlainAtom{}, in_row, gW, rW);
    keep_packed(rX, zero);
    scale_row(rX, rW, rsqrtf(mean + p.eps), rY);
    if (block * Rows::value + first_row < p.rows)
      copy_if(PlainAtom{}, in_row, rY, store.partition_D(tile_of(mY, block)));
    if (config.prefetch)
      copy(rNext, rX);
    else if (next < blocks)
      fetch(next, rX);
  }
}

}  // namespace rmsnorm

extern "C" int cutelab_abi_version() { return CUTELAB_ABI_VERSION; }

extern "C" const char* cutelab_error_text(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  if (!params || params_bytes != sizeof(rmsnorm::Params) || !shape) return cudaErrorInvalidValue;
  const auto& p = *static_cast<const rmsnorm::Params*>(params);
  const long long blocks = rmsnorm::row_blocks(rmsnorm::config, p.rows);
  const bool fits = p.rows >= 1 && p.hidden >= 1 && p.hidden <= rmsnorm::config.row_capacity() &&
                    p.hidden % rmsnorm::config.vector_elements == 0 &&
                    blocks * rmsnorm::config.rows_per_cta <= INT_MAX;
  if (!fits || shape->block[0] != static_cast<unsigned>(rmsnorm::config.block()))
    return cudaErrorInvalidConfiguration;
  rmsnorm::rmsnorm_kernel<<<shape->grid[0], shape->block[0], 0, static_cast<cudaStream_t>(stream)>>>(p);
  return cudaGetLastError();
}
