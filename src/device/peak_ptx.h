#pragma once
#include <string>

namespace cutelab::device {

/// Small programs whose rate is a device's ceiling, as PTX text. Arguments of both: (u64 at, u64 turns); `at`
/// is written only in a case that never comes, so that nothing is dropped as unused.

/// void cutelab_fma(at, turns): per turn each thread does `fma_per_turn` fused multiply-adds in 16
/// independent chains.
inline constexpr int fma_per_turn = 128;
std::string fma_ptx();

/// void cutelab_wgmma(at, turns), for sm_90a, blocks of 128 threads: per turn a block does `wgmma_per_turn`
/// m64n256k16 products of bf16 values in ±[0.5, 1), not zeros: zeros draw less power and run faster.
inline constexpr int wgmma_per_turn = 4;
inline constexpr double wgmma_flops = 2.0 * 64 * 256 * 16;
std::string wgmma_ptx();

}  // namespace cutelab::device
