// Plain threads: nothing here needs more than CuTe itself.
// expect-arch: sm_70
// expect-pattern: P1 absent
// expect-pattern: P5 absent
#include <cute/tensor.hpp>

template <class Tensor>
__global__ void scale(Tensor x, float by) {
  x(threadIdx.x) = by * x(threadIdx.x);
}

void host(float* data) {
  auto x = cute::make_tensor(cute::make_gmem_ptr(data), cute::Int<128>{});
  scale<<<1, 128>>>(x, 2.f);
}
