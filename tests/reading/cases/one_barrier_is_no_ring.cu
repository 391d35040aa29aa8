// expect-pattern: P1 absent
// expect-pattern: P2 absent
// expect-pattern: P7 present default_active
// expect-pattern: P10 absent
#include <cute/tensor.hpp>

using FullBarrier = cutlass::arch::ClusterTransactionBarrier;

__global__ void copy_kernel(uint64_t* full) {
  if (warp_idx == 0) FullBarrier::arrive_and_expect_tx(full, 4096);
  cute::cluster_sync();
  for (int k = 0; k < 8; ++k) {
    gemm(mma, tCrA, tCrB, tCrC);
    warpgroup_wait<0>();
  }
}

void host(float* A) {
  auto tma = make_tma_atom(SM90_TMA_LOAD{}, A, sA, tile);
  dim3 dimCluster(2, 1, 1);  // expect: H2 cluster cluster=(2,1,1)
}
