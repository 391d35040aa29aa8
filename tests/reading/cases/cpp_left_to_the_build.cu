// What a macro of the build, or a constant, keeps out: facts say so, and the checklist with them.
// expect-pattern: P3 present default_active condition=
// expect-pattern: P9 present condition=MASKED
// expect-why: P3 STEAL says whether
#include <cute/tensor.hpp>
using namespace cute;

struct Config {
  int steal;
  int cluster;
};
constexpr Config config{STEAL, 1};
constexpr bool verbose = false;

__device__ unsigned next_item;

template <bool steal>
struct Feed {
  int fixed;
  int step;
  __device__ int next() {
    if constexpr (!steal) {
      const int item = fixed;
      fixed += step;
      return item;
    }
    return atomicAdd(&next_item, 1);  // expect: S1 work-counter active=?
  }
};
__device__ Feed<config.steal != 0> feed_of() { return {static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)}; }

__device__ void keep(uint32_t* pairs, int depth) {
  for (int k = 0; k < 8; ++k)
    if (k < depth) pairs[k] = 0;  // expect-none: B1 predicate
}

__global__ void kernel(float* out, const float* in, int width, int items) {
  auto feed = feed_of();
  int item = feed.next();
  if (config.cluster > 1) cutlass::arch::cluster_sync();  // expect: D5 barrier active=false
  if constexpr (verbose) __syncthreads();               // expect: D5 barrier active=false
#if MASKED
  const float x = threadIdx.x < width ? 0 : 1;
  const float y = item < width ? in[item] : 0;  // expect: B1 predicate active=?
#endif
  for (; item < items; item = feed.next()) out[item] = in[item];  // expect: S1 persistent-loop active=?
}

void launch(float* out, const float* in, int width, int items) { kernel<<<132, 128>>>(out, in, width, items); }
