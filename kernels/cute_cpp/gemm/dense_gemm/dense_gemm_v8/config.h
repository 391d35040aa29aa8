#pragma once

namespace dense_gemm_v8 {

/// What is fixed at compile time. Two consumer warpgroups share an output tile of 128 × tile_n, rows split
/// between them; a third warpgroup loads and fetches work. Plain C++ shared by plan.cc and kernel.cu.
struct Config {
  int tile_n;          // a multiple of 16, at most 256
  int lines;           // 128-byte lines of a row that a stage holds: 1, or 2 where memory is the limit
  int stages;          // of `lines` lines of A and B each
  int cluster_m;       // CTAs one below the other that share a tile of B: 1 or 2
  int cluster_n;       // CTAs side by side that share a tile of A: 1 or 2; not both 2
  int dynamic;         // 1 = the next work item is fetched from a counter in memory, 0 = every grid-th
  int gain;            // stages that cutting the last turn's tiles along k must save; 0 = tiles stay whole
  int row_contiguous;  // 1 = D is (m, n) : (1, m): the transposed problem, when the caller's m is small
  int promote;         // e4m3: stages after which the sums move to fp32 registers; 0 = never
  int halves;  // stages at a tile's begin and end that are multiplied by halves (by_halves.cuh): 0, 1, 2

  static constexpr int tile_m = 128;
  constexpr int consumers() const { return 2; }
  constexpr int block() const { return 128 * (1 + consumers()); }
  constexpr int cluster() const { return cluster_m * cluster_n; }
  /// Columns that a warpgroup converts and stores at a time.
  constexpr int store_columns() const {
    return tile_n % 64 == 0 ? 64 : tile_n % 48 == 0 ? 48 : tile_n % 32 == 0 ? 32 : 16;
  }
  constexpr int stage_bytes() const { return (tile_m + tile_n) * 128 * lines; }
  /// Two buffers a warpgroup, each padded to the swizzle's 1024 bytes.
  constexpr int store_bytes() const {
    return row_contiguous ? 0 : consumers() * 2 * ((64 * store_columns() * 2 + 1023) / 1024 * 1024);
  }
  constexpr int smem_bytes() const { return stages * stage_bytes() + store_bytes() + 2048; }
};

constexpr int smem_limit = 232448;  // per CTA on sm_90, with opt-in
constexpr int most_ctas = 160;      // partial sums have room for

}  // namespace dense_gemm_v8
