#pragma once

namespace cub_reduce {

/// y[r] = op over c of x[r][c]. By value; host and device agree on this file; pointers are device addresses.
struct Params {
  const void* x;      // (rows, columns) : (columns, 1)  bf16, fp16 or fp32
  float* y;           // (rows)          : (1)
  long long rows;     // >= 1; 1 for the whole-device reduction
  long long columns;  // >= 1
  int op;             // 0 sum, 1 largest, 2 least, 3 sum of squares
  int dtype;          // 0 bf16, 1 fp16, 2 fp32
  int method;         // 0 cub::DeviceSegmentedReduce, 1 cub::DeviceReduce
};

}  // namespace cub_reduce
