// D = alpha · A · Bᵀ + beta · C on Hopper, with work handed out as it is asked for, and tiles cut along k
// where whole ones would leave processors idle. streamed_gemm.cuh is the kernel; here are the last step from
// sums to results, and the C door.
#include "streamed_gemm.cuh"

namespace dense_gemm_v8 {

/// alpha · sum + beta · C, rounded once.
struct Scaled {
  struct Nothing {};
  CUTE_DEVICE Nothing ahead(const Params&, int, int, int) const { return {}; }
  CUTE_DEVICE void done(const Params&) const {}

  template <class Block>
  CUTE_DEVICE void operator()(const Params& p, float alpha, Block& block, Nothing&, int row, int column,
                              int batch, uint32_t* pairs) const {
    // Beside the code of cut tiles a choice costs registers, and ptxas serializes every WGMMA (C7511).
    if (config.gain != 0 || alpha != 1 || p.beta != 0) scale(p, alpha, block, row, column, batch);
    CUTE_UNROLL
    for (int v = 0; v < size(block); v += 2) pairs[v / 2] = packed(block(v), block(v + 1));
  }

  /// The same of half the tile's columns.
  template <int part, class Block>
  CUTE_DEVICE void half(const Params& p, float alpha, Block& block, Nothing& kept, const Side&, int row,
                        int column, int batch, uint32_t* pairs) const {
    (*this)(p, alpha, block, kept, row, column + part * config.tile_n / 2, batch,
            pairs + part * config.tile_n / 8);
  }

  /// Straight from registers: D is (m, n) : (1, m) and small.
  template <class Block>
  CUTE_DEVICE void store_transposed(const Params& p, float alpha, Block& block, int row, int column,
                                    int batch) const {
    const int t = threadIdx.x % 128;
    const int64_t plane = static_cast<int64_t>(batch) * p.m * p.n;
    CUTE_UNROLL
    for (int i = 0; i < size(block); ++i) {
      const int r = row + t / 32 * 16 + t / 4 % 8 + i / 2 % 2 * 8;
      const int c = column + i / 4 * 8 + t % 4 * 2 + i % 2;
      if (r >= p.m || c >= p.n) continue;
      const int64_t at = plane + static_cast<int64_t>(c) * p.m + r;
      float value = block(i) * alpha;
      if (p.beta != 0) value += p.beta * static_cast<float>(static_cast<const Result*>(p.c)[at]);
      static_cast<Result*>(p.d)[at] = Result(value);
    }
  }
};

Descriptors<Scaled> describe(const Params& p) { return described(p, Scaled{}); }

}  // namespace dense_gemm_v8

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace dense_gemm_v8;
  if (!shape || shape->grid[0] > most_ctas) return cudaErrorInvalidConfiguration;
  return dense_gemm::door(config, config.cluster(), describe, dense_gemm_kernel<Scaled>, params, params_bytes,
                          shape, stream);
}
