#pragma once
// What the package does not bring, as one writes it: an activation, chosen by activation=softcap, and a step
// of a chain.
#include "steps.cuh"

namespace epilogue_gemm {

/// Holds values within ±30, as some models hold their logits.
struct Softcap {
  CUTE_DEVICE float operator()(float x) const { return 30 * quick_tanh(x * (1.0f / 30)); }
};

/// Sets what lies above the diagonal to `value`: a causal mask. chain(Bias{…}, MaskAbove{-1e4f}) uses it.
struct MaskAbove : Step {
  float value;
  explicit MaskAbove(float v) : value(v) {}
  CUTE_DEVICE float2 operator()(const At& at, float2 x) const {
    return {at.column > at.row ? value : x.x, at.column + 1 > at.row ? value : x.y};
  }
};

}  // namespace epilogue_gemm
