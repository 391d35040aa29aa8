#pragma once
#include "../../dense_gemm/problem.h"

namespace epilogue_gemm {

/// x = alpha · A · Bᵀ + bias; y = activation(x), or activation(gate) · up where x holds both; D = y + beta ·
/// C. Kernel arguments, by value; host and device agree on this file. n counts the columns of the product: a
/// gated D has half of them, and C as D.
struct Params {
  dense_gemm::Params gemm;
  const void* bias;  // (n); of D's type
  void* aux;         // (m, n, batch), n contiguous: x rounded; of D's type
  float* amax;       // one number: the largest |y + beta · C| before it is rounded
};

}  // namespace epilogue_gemm
