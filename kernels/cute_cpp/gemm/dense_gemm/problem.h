#pragma once

namespace dense_gemm {

/// D = alpha · A · Bᵀ + beta · C, for each of `batch` problems. Kernel arguments, by value; host and device
/// agree on this file. Pointers are device addresses of dense tensors; a contiguous extent is a multiple of
/// 16 bytes, which TMA asks of every stride.
struct Params {
  const void* a;  // (m, k, batch), k or m contiguous  bf16, fp16 or e4m3
  const void* b;  // (n, k, batch), k or n contiguous  as a
  const void* c;  // (m, n, batch), n contiguous       as a, bf16 with e4m3; read only where beta != 0
  void* d;        // (m, n, batch), n contiguous       as c
  int m;          // >= 1
  int n;          // >= 1, a multiple of 8
  int k;          // >= 1
  int batch;      // >= 1
  float alpha;
  float beta;
  const float* scale_a;  // one number: what A was divided by; null = 1. e4m3 only
  const float* scale_b;  // as scale_a
  int tile_group;        // rows of tiles that are walked together, from v4 on (tile_order.h)
};

}  // namespace dense_gemm
