#pragma once

namespace dense_gemm_v5 {

/// What is fixed at compile time. Two consumer warpgroups share an output tile of tile_m × tile_n, rows split
/// between them; a third warpgroup loads. Plain C++ shared by plan.cc and kernel.cu.
struct Config {
  int tile_m;     // 128 or 256
  int tile_n;     // a multiple of 16, at most 256 (128 with tile_m 256: 128 accumulators a thread)
  int stages;     // of 64 k-columns of A and B each
  int cluster_m;  // CTAs one below the other that share a tile of B: 1 or 2
  int cluster_n;  // CTAs side by side that share a tile of A: 1 or 2; not both 2

  constexpr int consumers() const { return 2; }
  constexpr int block() const { return 128 * (1 + consumers()); }
  constexpr int cluster() const { return cluster_m * cluster_n; }
  /// Columns that a warpgroup converts and stores at a time.
  constexpr int store_columns() const {
    return tile_n % 64 == 0 ? 64 : tile_n % 48 == 0 ? 48 : tile_n % 32 == 0 ? 32 : 16;
  }
  constexpr int stage_bytes() const { return (tile_m + tile_n) * 64 * 2; }
  /// Two buffers a warpgroup, each padded to the swizzle's 1024 bytes.
  constexpr int store_bytes() const {
    return consumers() * 2 * ((64 * store_columns() * 2 + 1023) / 1024 * 1024);
  }
  constexpr int smem_bytes() const { return stages * stage_bytes() + store_bytes() + 2048; }
};

constexpr int smem_limit = 232448;  // per CTA on sm_90, with opt-in

}  // namespace dense_gemm_v5
