// A kernel that drives a collective: its schedule says that the loads are TMA's, its pipelines that they fill a ring.
// expect-pattern: P1 present default_active
// expect-pattern: P2 present default_active
template <class CollectiveMainloop>
struct GemmKernel {
  using Schedule = cutlass::gemm::KernelTmaWarpSpecializedPtrArray;  // expect: D1 role
  using MainloopPipeline = typename CollectiveMainloop::MainloopPipeline;

  CUTLASS_DEVICE void operator()(SharedStorage& storage) {
    int thread_idx = int(threadIdx.x);  // expect: D1 identity
    MainloopPipeline mainloop_pipeline(storage.pipeline, params);
    auto state = cutlass::PipelineState<4>();
    bool is_epi_load_needed = epilogue.is_producer_load_needed();
    if (is_epi_load_needed) {
      for (int k = 0; k < 8; ++k) prefetch(k);
    }
    if (warp_group_role == WarpGroupRole::Producer) {  // expect: D1 role elected=false
      for (int k = 0; k < 8; ++k) mainloop_pipeline.producer_acquire(state);  // expect: D2 acquire pipeline=MainloopPipeline
    } else {
      mainloop.mma_init(storage);
      for (int k = 0; k < 8; ++k) mainloop_pipeline.consumer_wait(state);  // expect: D2 wait pipeline=MainloopPipeline
    }
#if 0
    copy(tma_store, sC, gC);
#endif
  }
};
