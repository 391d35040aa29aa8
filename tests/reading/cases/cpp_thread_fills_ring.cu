#include <cute/tensor.hpp>
using namespace cute;
using Full = cutlass::arch::ClusterTransactionBarrier;

struct Storage {
  uint64_t full[STAGES];
};

// expect-summary: none
// expect-why: P10 no wait stands after a loop that issues what it waits for
// read-set: STAGES=3
// One thread fills the ring, through a lambda that it alone calls; all wait. What the store waits for is no loop's.
__global__ void kernel(const Params p, Storage& s, float* out) {
  const bool elected = cute::elect_one_sync();
  const auto load = [&](int k, int stage) {
    Full::arrive_and_expect_tx(&s.full[stage], 4096);  // expect: D2 commit by=thread0
    copy(p.tma.with(s.full[stage]), gA(k), sA(stage));
  };
  if (threadIdx.x == 0) {
    for (int k = 0; k < STAGES; ++k) load(k, k);
  }
  for (int k = 0; k < 8; ++k) {
    Full::wait(&s.full[stage], parity);  // expect: D2 wait
    if (threadIdx.x == 0) load(k + STAGES, stage);
  }
  tma_store_fence();  // expect: D5 fence orders=tma-store
  if (elected) {
    copy(p.tma_store, store.partition_S(sD), store.partition_D(gD));
    tma_store_arrive();
    tma_store_wait<0>();
  }
}
