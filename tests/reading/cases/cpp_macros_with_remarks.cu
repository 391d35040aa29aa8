// What a macro stands for: a number with a remark behind it, a function's specifiers.
#include <cute/tensor.hpp>

#ifdef __CUDACC__
#define ON_BOTH __host__ __device__
#else
#define ON_BOTH
#endif
#ifndef SIDE
#define SIDE 0  // such stages
#endif
#define WIDTH 64 /* threads */

constexpr int side_stages = SIDE;

struct Order {
  int rows;
  ON_BOTH Order(int n) { cutlass::arch::NamedBarrier::sync(WIDTH, n); }  // expect: D5 barrier threads=64
  void plan() const { cutlass::arch::NamedBarrier::sync(WIDTH, 1); }  // expect-none: D5 barrier threads=64
};

__global__ void kernel(Order order) {
  Order again(2);
  if constexpr (side_stages > 0) __syncthreads();  // expect: D5 barrier active=false
}
