#pragma once

namespace dense_gemm_v2 {

/// What is fixed at compile time. Plain C++ shared by plan.cc and kernel.cu.
struct Config {
  int tile_m;  // 128: two consumer warpgroups, 64 rows each
  int tile_n;  // a multiple of 16, at most 256: 128 accumulators a thread
  int stages;  // of 64 k-columns of A and B each, at least 2

  constexpr int consumers() const { return tile_m / 64; }
  constexpr int block() const { return 128 * (1 + consumers()); }
  constexpr int stage_bytes() const { return (tile_m + tile_n) * 64 * 2; }
  constexpr int smem_bytes() const { return stages * stage_bytes() + 2048; }
};

constexpr int smem_limit = 232448;  // per CTA on sm_90, with opt-in

}  // namespace dense_gemm_v2
