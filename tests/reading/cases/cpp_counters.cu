// Work from a counter in memory, and who comes last: and atomic additions that are neither.
// expect-pattern: P3 present kind=custom_dynamic
#include <cute/tensor.hpp>

__device__ unsigned next_tile;
__device__ unsigned arrived;

__device__ unsigned fetch() { return atomicAdd(&next_tile, 1); }  // expect: S1 work-counter

__global__ void persistent(float* out, int tiles) {
  __shared__ unsigned shared_tile;
  while (true) {
    if (threadIdx.x == 0) shared_tile = fetch();
    __syncthreads();
    const unsigned tile = shared_tile;
    if (tile >= tiles) break;
    out[tile] = 1;
  }
}

// One addition a thread for a place in the output: no work is handed out.
__global__ void compact(const float* in, float* out, int* count, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int place = atomicAdd(count, 1);  // expect-none: S1 work-counter
    out[place] = in[i];
  }
}

__global__ void reduce(float* partial, float* out) {
  partial[blockIdx.x] = 1;
  __threadfence();
  const unsigned seen = atomicAdd(&arrived, 1);  // expect: D5 last-arriver
  if (seen == gridDim.x - 1) out[0] = partial[0];
}

// Nothing was made visible before, so nothing of the others is read.
__global__ void count_only(unsigned* total, float* out) {
  const unsigned seen = atomicAdd(total, 1);  // expect-none: D5 last-arriver
  if (seen == 0) out[0] = 1;
}
