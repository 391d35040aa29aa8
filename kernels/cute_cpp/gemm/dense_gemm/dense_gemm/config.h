#pragma once

namespace dense_gemm_v0 {

/// What is fixed at compile time. Plain C++ shared by plan.cc and kernel.cu.
struct Config {
  int tile_m;  // 64 or 128: one warpgroup computes one or two blocks of 64 rows
  int tile_n;  // a multiple of 16; tile_m × tile_n at most 128 × 128: 128 accumulators a thread

  constexpr int block() const { return 128; }
  constexpr int stage_bytes() const { return (tile_m + tile_n) * 64 * 2; }
  constexpr int smem_bytes() const { return stage_bytes() + 2048; }
};

constexpr int smem_limit = 232448;  // per CTA on sm_90, with opt-in

}  // namespace dense_gemm_v0
