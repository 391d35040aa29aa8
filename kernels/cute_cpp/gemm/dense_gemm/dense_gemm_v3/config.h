#pragma once

namespace dense_gemm_v3 {

/// What is fixed at compile time. Two consumer warpgroups share an output tile of tile_m × tile_n, rows split
/// between them; a third warpgroup loads. Plain C++ shared by plan.cc and kernel.cu.
struct Config {
  int tile_m;  // 128
  int tile_n;  // 128 or 256: at most 128 accumulators a thread
  int stages;  // of 64 k-columns of A and B each

  constexpr int consumers() const { return 2; }
  constexpr int block() const { return 128 * (1 + consumers()); }
  constexpr int stage_bytes() const { return (tile_m + tile_n) * 64 * 2; }
  constexpr int store_bytes() const { return consumers() * 2 * 64 * 64 * 2; }  // two buffers a warpgroup
  constexpr int smem_bytes() const { return stages * stage_bytes() + store_bytes() + 2048; }
};

constexpr int smem_limit = 232448;  // per CTA on sm_90, with opt-in

}  // namespace dense_gemm_v3
