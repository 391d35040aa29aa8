// expect-arch: sm_80
#include <cute/tensor.hpp>

using namespace cute;

template <class Layout>
__global__ static __launch_bounds__(256)  // expect: H4 launch-keyword max_threads=256
void copy_kernel(float* x, Layout layout) {
  __shared__ float buffer[1024];  // expect: H3 allocation
  Tensor gX = make_tensor(make_gmem_ptr(x), layout);
  auto atom = Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, float>{};  // expect: D3 copy
  copy(atom, gX, gX);
  cp_async_fence();  // expect: D3 copy-group
  cp_async_wait<0>();  // expect: D3 copy-group
  __syncthreads();  // expect: D5 barrier
}

void run(float* x, cudaStream_t stream) {
  dim3 dimGrid(8, 4);  // expect: H2 grid
  copy_kernel<<<dimGrid, 256, 0, stream>>>(x, make_layout(Int<8>{}));  // expect: H2 launch block=256 smem_bytes=0; H2 grid; H2 block block=256; H4 launch-keyword smem=0
}
