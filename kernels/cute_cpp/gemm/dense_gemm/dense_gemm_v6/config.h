#pragma once

namespace dense_gemm_v6 {

/// What is fixed at compile time. A cluster of `splits` CTAs computes one output tile, each CTA a part of k.
/// Plain C++ shared by plan.cc and kernel.cu.
struct Config {
  int tile_m;   // 64 or 128: a warpgroup for 64 rows
  int tile_n;   // a multiple of 8, at most 256
  int stage_k;  // k-columns of a stage, a multiple of 64: what is contiguous in a row is read at once
  int stages;
  int splits;           // 1, 2, 4, 8: CTAs of a cluster, which share a tile's k
  bool row_contiguous;  // D is (m, n) : (1, m): the transposed problem, when the caller's m is the small
                        // extent
  int element_bytes = 2;
  bool promote = false;  // e4m3: the tensor cores' own sums, which keep few bits, are those of one stage

  constexpr int consumers() const { return tile_m / 64; }
  constexpr int block() const { return 128 * consumers() + 32; }
  constexpr int stage_bytes() const { return (tile_m + tile_n) * stage_k * element_bytes; }
  /// fp32 partial results, contiguous extent padded by 16 bytes against bank conflicts. They take the ring's
  /// place.
  constexpr int partial_pitch() const { return (row_contiguous ? tile_m : tile_n) + 4; }
  constexpr int partial_bytes() const { return (row_contiguous ? tile_n : tile_m) * partial_pitch() * 4; }
  constexpr int smem_bytes() const {
    const int ring = stages * stage_bytes();
    return (ring > partial_bytes() ? ring : partial_bytes()) + 2048;
  }
};

constexpr int smem_limit = 232448;  // per CTA on sm_90, with opt-in

}  // namespace dense_gemm_v6
