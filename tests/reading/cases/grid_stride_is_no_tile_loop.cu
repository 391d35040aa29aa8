// Threads that step over elements by the grid's width walk over no tiles.
// expect-pattern: P3 absent
__global__ void scale(float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] *= 2.0f;
}
