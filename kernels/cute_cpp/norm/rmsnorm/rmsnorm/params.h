#pragma once

namespace rmsnorm {

/// Kernel arguments, by value. Host and device agree on this file; pointers are device addresses.
struct Params {
  const void* x;       // (rows, hidden) : (hidden, 1)  bf16 or fp16
  const void* weight;  // (hidden)       : (1)          as x
  void* y;             // (rows, hidden) : (hidden, 1)  as x
  long long rows;      // >= 1
  int hidden;          // >= 1, a multiple of the configuration's vector
  float eps;           // > 0
};

}  // namespace rmsnorm
