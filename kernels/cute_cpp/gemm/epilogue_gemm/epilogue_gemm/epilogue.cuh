#pragma once
// The way from sums to results: a chain of steps, an activation, another chain. What the kernel in
// ../../dense_gemm/dense_gemm_v8/streamed_gemm.cuh calls its caller's Finish.
#include "steps.cuh"

namespace epilogue_gemm {

/// The step of a kind in a chain.
template <class Wanted, class First, class... Rest>
const Wanted& step_of(const Chain<First, Rest...>& chain) {
  if constexpr (std::is_same_v<First, Wanted>)
    return chain.first;
  else
    return step_of<Wanted>(chain.rest);
}

/// Two chains around an activation. With `gated`, every 16 columns of the product are 8 of a gate and 8 of
/// what it lets through: D gets activation(gate) · value, half as many columns. `before` sees the product's
/// places, `after` those of D.
template <class Before, class Activation, class After, bool gated, bool amax>
struct Epilogue {
  Before before;
  After after;
  float* amax_out;

  struct Kept {
    typename Before::Kept before;
    typename After::Kept after;
  };

  template <class Block>
  CUTE_DEVICE void operator()(const dense_gemm::Params& p, float alpha, Block& block, Kept& kept, int row,
                              int column, int batch, uint32_t* pairs) const {
    eights<0, GEMM_TILE_N / 8>(p, alpha, block, kept, Side{}, row, column, batch, pairs);
  }
  /// The same of half the tile's columns; `row`, `column` and `pairs` are the tile's.
  template <int part, class Block>
  CUTE_DEVICE void half(const dense_gemm::Params& p, float alpha, Block& block, Kept& kept, const Side& side,
                        int row, int column, int batch, uint32_t* pairs) const {
    eights<part * GEMM_TILE_N / 16, GEMM_TILE_N / 16>(p, alpha, block, kept, side, row, column, batch, pairs);
  }
  /// `count` times eight columns of the product, `block` being their sums.
  template <int first, int count, class Block>
  CUTE_DEVICE void eights(const dense_gemm::Params& p, float alpha, Block& block, Kept& kept,
                          const Side& side, int row, int column, int batch, uint32_t* pairs) const;
  /// The tile, or what follows its first `eight` of the product, as the chain behind `shrink` columns for one
  /// sees it.
  template <int shrink>
  CUTE_DEVICE static Ahead tile(const dense_gemm::Params& p, int row, int column, int batch, int eight = 0) {
    const int first = (column + eight * 8) / shrink, width = p.n / shrink;
    return {row,           first, GEMM_TILE_N / shrink,
            p.m,           width, (static_cast<int64_t>(batch) * p.m + row) * width + first,
            eight / shrink};
  }
  /// What comes and leaves through side stages.
  const void* read_beside() const;
  void* written_beside() const;
  CUTE_DEVICE Kept ahead(const dense_gemm::Params& p, int row, int column, int batch) const {
    return {before.ahead(tile<1>(p, row, column, batch)),
            after.ahead(tile < gated ? 2 : 1 > (p, row, column, batch))};
  }
  /// The launch's last CTA to come here hands over the largest value and leaves the counters as they were.
  CUTE_DEVICE void done(const dense_gemm::Params& p) const;
};

/// 0 between launches. Bits of floats that are not negative order as the floats do.
__device__ unsigned largest_bits;
__device__ unsigned ctas_done;

template <class Before, class Activation, class After, bool gated, bool amax>
const void* Epilogue<Before, Activation, After, gated, amax>::read_beside() const {
  return step_of<StagedResidual>(after).c;
}
template <class Before, class Activation, class After, bool gated, bool amax>
void* Epilogue<Before, Activation, After, gated, amax>::written_beside() const {
  return step_of<StagedAux>(before).aux;
}

template <class Before, class Activation, class After, bool gated, bool amax>
template <int first, int count, class Block>
CUTE_DEVICE void Epilogue<Before, Activation, After, gated, amax>::eights(const dense_gemm::Params& p,
                                                                          float alpha, Block& block,
                                                                          Kept& kept, const Side& side,
                                                                          int row, int column, int batch,
                                                                          uint32_t* pairs) const {
  constexpr int shrink = gated ? 2 : 1;
  const int t = threadIdx.x % 128;
  float largest = 0;
  before.template begin<count * 8>(tile<1>(p, row, column, batch, first), kept.before);
  after.template begin<count * 8 / shrink>(tile<shrink>(p, row, column, batch, first), kept.after);
  // WGMMA's layout: four values of every eight columns, two of a row and two of the row 8 below.
  const auto place = [&](int eight, int v, int origin, int columns) {
    const int r = row + t / 32 * 16 + t / 4 % 8 + v / 2 * 8;
    const int c = origin + eight * 8 + t % 4 * 2;
    return At{r,
              c,
              eight,
              v / 2,
              p.m,
              columns,
              (static_cast<int64_t>(batch) * p.m + r) * columns + c,
              r < p.m && c < columns,
              largest,
              side};
  };
  const auto product = [&](int eight, int v) {
    const int at = (eight - first) * 4 + v;
    const float2 x{block(at) * alpha, block(at + 1) * alpha};
    return before(place(eight, v, column, p.n), kept.before, x);
  };
  const auto finish = [&](int eight, int v) {
    float2 x = product(eight * shrink, v);
    x = {Activation{}(x.x), Activation{}(x.y)};
    if constexpr (gated) {
      const float2 let_through = product(eight * 2 + 1, v);
      x = {x.x * let_through.x, x.y * let_through.y};
    }
    x = after(place(eight, v, column / shrink, p.n / shrink), kept.after, x);
    pairs[eight * 2 + v / 2] = packed(x.x, x.y);
  };
  CUTE_UNROLL
  for (int eight = first / shrink; eight < (first + count) / shrink; ++eight) {
    finish(eight, 0);
    finish(eight, 2);
  }
  if constexpr (amax) {
    const unsigned of_warp = __reduce_max_sync(0xffffffff, __float_as_uint(largest));
    if (t % 32 == 0) atomicMax(&largest_bits, of_warp);
  }
}

template <class Before, class Activation, class After, bool gated, bool amax>
CUTE_DEVICE void Epilogue<Before, Activation, After, gated, amax>::done(const dense_gemm::Params&) const {
  if constexpr (!amax) return;
  __threadfence();
  cutlass::arch::NamedBarrier::sync(256, 2);  // both consumer warpgroups
  if (threadIdx.x != 128 || atomicAdd(&ctas_done, 1) + 1 != gridDim.x) return;
  ctas_done = 0;
  *amax_out = __uint_as_float(atomicExch(&largest_bits, 0));
}

}  // namespace epilogue_gemm
