#pragma once

namespace dense_gemm_v7 {

/// What is fixed at compile time. Two consumer warpgroups take turns, each with an output tile of its own; a
/// third warpgroup loads. Plain C++ shared by plan.cc and kernel.cu.
struct Config {
  int tile_m;     // 128
  int tile_n;     // a multiple of 16 from 64 to 176: so many accumulators a thread
  int stages;     // of 64 k-columns of A and B each
  int cluster_m;  // CTAs one below the other that share a tile of B: 1 or 2
  int cluster_n;  // CTAs side by side that share a tile of A: 1 or 2; not both 2

  constexpr int consumers() const { return 2; }
  constexpr int block() const { return 128 * (1 + consumers()); }
  constexpr int cluster() const { return cluster_m * cluster_n; }
  constexpr int stage_bytes() const { return (tile_m + tile_n) * 64 * 2; }
  constexpr int store_bytes() const { return consumers() * 2 * 64 * 64 * 2; }  // two buffers a warpgroup
  constexpr int smem_bytes() const { return stages * stage_bytes() + store_bytes() + 2048; }
};

constexpr int smem_limit = 232448;  // per CTA on sm_90, with opt-in

}  // namespace dense_gemm_v7
