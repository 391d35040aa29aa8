// expect-pattern: P1 present
// expect-pattern: P2 present
// expect-pattern: P8 present kind=direct_store
// expect-pattern: P10 present
// expect-pattern: P7 absent
#include <cute/tensor.hpp>

using FullBarrier = cutlass::arch::ClusterTransactionBarrier;
constexpr int stages = 4;
constexpr int load_warp = 4;

__device__ void load_role(uint64_t* full) {
  for (int k = 0; k < 8; ++k) copy(tma_a.with(full[0]), tAgA(_, k), tAsA(_, 0));
}

__device__ void math_role(uint64_t* full) {
  for (int k = 0; k < 8; ++k) {
    FullBarrier::wait(&full[0], 0);  // expect: D5 barrier-wait
    gemm(mma, tCrA, tCrB, tCrC);
    warpgroup_commit_batch();
    warpgroup_wait<1>();
  }
  warpgroup_wait<0>();  // expect: D4 drain
}

template <class T>
__global__ void gemm_kernel(uint64_t* full, T* c) {
  const int warp = cutlass::canonical_warp_idx_sync();
  if (warp == load_warp && cute::elect_one_sync()) {  // expect: D1 role elected=true
    for (int s = 0; s < stages; ++s) FullBarrier::init(&full[s], 1);
  }
  if (warp == load_warp) {  // expect: D1 role elected=false
    if (cute::elect_one_sync()) load_role(full);
    return;
  }
  math_role(full);  // expect: D1 role elected=false
  for (int i = 0; i < 8; ++i) tCgC(i) = tCrC(i);  // expect: E1 store
}

void host(float* A) {
  auto tma = make_tma_atom(SM90_TMA_LOAD{}, A, sA, tile);
  auto* kernel = &gemm_kernel<float>;
  const dim3 grid(8, 4);  // expect: H2 grid grid=(8,4,1)
  kernel<<<grid, 160, 0>>>(nullptr, nullptr);
}
