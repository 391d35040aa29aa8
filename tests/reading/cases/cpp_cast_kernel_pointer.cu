// A kernel pointer that is cast where it is launched: the launch is that kernel's, with its fixed shared memory. The
// CTA's place in the grid.
#include <cute/tensor.hpp>

template <class T>
__global__ void scale(T* x) {
  __shared__ float tile[64];
  auto place = cute::make_coord(blockIdx.x, blockIdx.y, cute::_);  // expect: D1 identity
  x[threadIdx.x] = x[threadIdx.x] * T(2);
}

void host(float* data) {
  auto* kernel_ptr = &scale<float>;
  cutlass::ClusterLaunchParams params = {dim3(4, 2), dim3(128), dim3(2, 1, 1), 0};
  cutlass::launch_kernel_on_cluster(params, (void const*) kernel_ptr, data);  // expect: H2 launch threads=128 static_smem_bytes=256
}
