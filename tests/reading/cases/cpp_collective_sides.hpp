// A collective of its own: pipelines by their types, sides in the functions that other files call.
// expect-pattern: P10 present
// expect-pattern: P7 absent
using namespace cute;

template <class Element, class CollectiveMmaQK>
struct Mainloop {
  static constexpr int StageCount = 5;  // expect: H3 stages stages=5
  using ClusterShape = Shape<_1, _1, _1>;
  using SmemLayoutQ = typename CollectiveMmaQK::SmemLayoutA;  // expect: D6 shared-layout
  using MainloopPipeline = cutlass::PipelineTmaAsync<StageCount>;  // expect: D2 pipeline class=PipelineTmaAsync stages=5
  using TiledMmaQK = typename CollectiveMmaQK::TiledMma;  // expect: D4 mma

  struct SharedStorage {
    cute::array_aligned<float, 64> smem_q;  // expect: H3 storage-member bytes=256
    union {
      cute::array_aligned<float, 32> smem_k;  // expect: H3 storage-member bytes=128
      cute::array_aligned<float, 16> smem_v;  // expect: H3 alias of=smem_k
    };
  };

  CUTLASS_DEVICE void load(MainloopPipeline& pipeline, State& write, int count) {
    for (int k = 0; k < count; ++k) pipeline.producer_acquire(write);  // expect: D2 acquire pipeline=MainloopPipeline
  }

  template <class OrderBarrier>
  CUTLASS_DEVICE void compute(MainloopPipeline& pipeline, State& read, OrderBarrier& order_barrier, int count) {
    Tensor acc = partition_fragment_C(TiledMmaQK{}, Shape<_64, _64>{});
    for (int k = 0; k < count; ++k) {
      order_barrier.wait();                // expect: D5 barrier-wait
      pipeline.consumer_wait(read);        // expect: D2 wait pipeline=MainloopPipeline
      gemm(tiled_mma, tSrQ, tSrK, acc);
      warpgroup_commit_batch();
      warpgroup_wait<0>();
      order_barrier.arrive();              // expect: D5 barrier-arrive
      pipeline.consumer_release(read);     // expect: D2 release pipeline=MainloopPipeline
    }
    warpgroup_wait<0>();  // expect: D4 drain
  }
};
