// Two warpgroups take turns at a CTA's tiles. Which warps a test leaves, which one thread, and how far a loop steps.
// expect-why: P3 a grid's width apart
#include <cute/tensor.hpp>
using namespace cute;

struct Params {
  const void* c;
  void* d;
  int tiles;
};
struct Schedule {
  __device__ int first() const { return blockIdx.x; }
  __device__ static int step() { return gridDim.x; }
};
struct Pending {
  uint32_t pairs[16];
};
struct Finish {
  __device__ void operator()(float x, uint32_t* pairs) const {
    pairs[0] = __float_as_uint(x);  // expect-none: E1 store
  }
};
struct Tools {
  Finish finish;
};
struct Other {
  __device__ void finish() {}
};
__device__ void zero(uint32_t* some) { some[0] = 0; }  // expect-none: E1 store

__device__ void load(const Params& p, const Schedule& schedule) {
  for (int index = schedule.first(); index < p.tiles; index += schedule.step()) fill(index);  // expect: S1 persistent-loop says=instepsofthegrid
}

__device__ void consume(const Params& p, const Schedule& schedule, const Tools& tools) {
  const int warpgroup = threadIdx.x / 128 - 1;
  const int thread = threadIdx.x % 128;
  Pending pending;
  if (warpgroup == 1)  // expect: D1 role elected=false rejoins=true
    cutlass::arch::NamedBarrier::arrive(256, 1);  // expect-role: warpgroup 1
  if (warpgroup == 0 && thread == 0) prefetch(p);  // expect: D1 role elected=true
  for (int index = schedule.first() + warpgroup * schedule.step(); index < p.tiles; index += 2 * schedule.step()) {  // expect: S1 persistent-loop says=2timesthegrid
    tools.finish(1.0f, pending.pairs);
    zero(pending.pairs + 4);
    zero(&pending.pairs[8]);
    static_cast<float*>(p.d)[index] = static_cast<const float*>(p.c)[index];  // expect: E1 store
  }
}

// Rows, where a CTA has eight of them: a grid's width of tiles apart all the same.
__global__ void by_rows(float* out, int rows) {
  for (int row = blockIdx.x * 8; row < rows; row += gridDim.x * 8) out[row] = 0;  // expect: S1 persistent-loop says=instepsofthegrid
}

__global__ void kernel(const Params p, Tools tools) {
  const Schedule schedule;
  if (threadIdx.x < 128) {
    if (threadIdx.x < 32 && elect_one_sync()) load(p, schedule);  // expect: D1 role elected=true rejoins=false by=oneelectedthread
  } else {
    consume(p, schedule, tools);
  }
}
