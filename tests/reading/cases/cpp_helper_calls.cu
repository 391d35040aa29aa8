// Work behind helpers of an included header, behind an epilogue object, and in lambdas of a template's method.
// expect-pattern: P2 present default_active
// expect-pattern: P4 present
// expect-pattern: P8 present
// expect-pattern: P10 present
#include "cases/cpp_softmax_helper.cuh"  // as builds do that search the folder above
using namespace cute;

static constexpr int NumMmaWarpGroups = 2;  // expect: D1 identity value=2

struct Store {
  template <int index>
  __device__ void slice() const {
    copy(tma_d, sD, gD);
    tma_store_arrive();
  }
};

__device__ void load_tiles(Pipeline& pipeline, int tiles) {
  for (int tile = 0; tile < tiles; ++tile)
    pipeline.producer_acquire(state);  // expect: D2 acquire pipeline=Pipeline 
}

__device__ void consume_tiles(Pipeline& pipeline, const Store& store, int tiles) {
  RunningSoftmax<Params> softmax{params};
  for (int tile = 0; tile < tiles; ++tile) {
    gemm_from_zero(mma, tSrQ, tSrK, scores);  // expect: D4 gemm
    softmax.step(score, peak, sum);           // expect: D4 running-maximum; D4 exponential
    for_each(slices, [&](auto index) { store.template slice<decltype(index)::value>(); });
  }
  tma_store_wait<0>();  // expect: D4 drain
}

template <class CollectiveEpilogue>
__global__ void kernel(int tiles) {
  if (threadIdx.x < 128) {  // expect: D1 role
    load_tiles(pipeline, tiles);
  } else {
    consume_tiles(pipeline, store, tiles);
  }
  CollectiveEpilogue epilogue{params};
  epilogue.store(accumulators);  // expect: E1 store
}
