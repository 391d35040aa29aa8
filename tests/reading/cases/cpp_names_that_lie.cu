// A tensor named as if it lay in global memory, over shared memory: filled, not stored. Masked by the problem's extent.
// expect-pattern: P8 absent
// expect-pattern: P9 present
using namespace cute;

template <class SmemLayout, class Problem>
__global__ void kernel(float* raw, SmemLayout layout, Problem const& problem_shape) {
  Tensor sO = make_tensor(make_smem_ptr(raw), SmemLayout{});  // expect: D6 shared-view
  auto thr_copy = tiled_copy.get_slice(threadIdx.x);          // expect: D1 identity
  auto tOgO = thr_copy.partition_D(sO);
  auto tOrO = make_tensor<float>(shape(tOgO));
  if (threadIdx.x < get<1>(problem_shape)) copy(tiled_copy, tOrO, tOgO);  // expect: B1 predicate
  Mask{}.apply_mask(tOrO, problem_shape);                                 // expect: B1 predicate
}

__global__ void swapped_names_kernel(int count) {}
void swapped_names(int count) {
  dim3 block(64, 1, 1);  // expect: H2 grid grid=(64,1,1)
  dim3 grid(32, 1, 1);   // expect: H2 block block=(32,1,1)
  swapped_names_kernel<<<block, grid>>>(count);  // expect: H2 launch grid=(64,1,1) block=(32,1,1)
}
