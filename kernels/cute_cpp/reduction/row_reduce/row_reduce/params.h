#pragma once

namespace row_reduce {

/// Kernel arguments, by value. Host and device agree on this file; pointers are device addresses.
struct Params {
  const void* x;      // (rows, columns) : (columns, 1)  bf16, fp16 or fp32
  float* y;           // (rows)          : (1)
  long long rows;     // >= 1
  long long columns;  // >= 1, a multiple of the configuration's vector
};

}  // namespace row_reduce
