#pragma once

namespace cublaslt_gemm {

/// D = alpha · A · Bᵀ + beta · C, for each of `batch` problems. Kernel arguments, by value; host and device
/// agree on this file. Pointers are device addresses of dense tensors.
struct Params {
  const void* a;  // (m, k, batch), k or m contiguous  bf16, fp16 or e4m3
  const void* b;  // (n, k, batch), k or n contiguous  as a
  const void* c;  // (m, n, batch), n contiguous       as a; read only where beta != 0
  void* d;        // (m, n, batch), n contiguous       as a
  int m;
  int n;
  int k;
  int batch;
  float alpha;
  float beta;
  int heuristic;  // which of the library's proposals, 0 = its first
  int fp16;       // 1 = fp16, 0 = bf16 (or e4m3)
  int a_k_major;  // 1 = k contiguous in A
  int b_k_major;  // 1 = k contiguous in B
  int e4m3;       // 1 = A and B are e4m3 with one scale each, C and D bf16
  int fast_sums;  // e4m3: 1 = the tensor cores' own sums
  const float* scale_a;
  const float* scale_b;
};

/// Proposals that are asked for.
constexpr int most_heuristics = 16;

}  // namespace cublaslt_gemm
