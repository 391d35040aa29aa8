// A kernel pointer that is cast where it is launched; the CTA's place in the grid.
#include <cute/tensor.hpp>

template <class T>
__global__ void scale(T* x) {
  auto place = cute::make_coord(blockIdx.x, blockIdx.y, cute::_);  // expect: D1 identity
  x[threadIdx.x] = x[threadIdx.x] * T(2);
}

void host(float* data) {
  dim3 dimGrid(4, 2), dimBlock(128), dimCluster(2, 1, 1);
  auto* kernel_ptr = &scale<float>;
  cutlass::ClusterLaunchParams params = {dim3(4, 2), dim3(128), dim3(2, 1, 1), 0};
  cutlass::launch_kernel_on_cluster(params, (void const*) kernel_ptr, data);  // expect: H2 launch threads=128
}
