// A class that only an alias names is there where somebody names the alias.
#include <cute/tensor.hpp>

struct Loud {
  __device__ void operator()() const { __syncthreads(); }  // expect: D5 barrier active=?
};
struct Always {
  __device__ void operator()() const { __syncthreads(); }  // expect: D5 barrier
};
using Chosen = Loud;
using Kept = Always;

__global__ void kernel(float* out) {
#if TELLS
  Chosen{}();
#endif
  Kept{}();
  out[threadIdx.x] = 0;
}

void launch(float* out) { kernel<<<132, 128>>>(out); }
