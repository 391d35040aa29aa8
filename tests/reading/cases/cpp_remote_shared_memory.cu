// Partial results out of the shared memory of the cluster's other CTAs.
// expect-pattern: P7 present dsmem=true cluster_barrier=true multicast=false
using namespace cute;

__device__ float* remote(float* mine, int rank) {
  float* theirs;
  asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));  // expect: D3 remote-memory
  return theirs;
}

__global__ void kernel(float* out) {
  cluster_sync();
  out[threadIdx.x] = *remote(out, 1);
  cluster_sync();
}
