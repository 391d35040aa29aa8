# One arrival a warp, and where threads release one by one, one a thread; in one warp of each, elected.
# expect-lint-passed: arrival-count
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=[8, 1, 1], block=[288, 1, 1])

    @cute.kernel
    def kernel(self, storage, other, third):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        one = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        ring = pipeline.PipelineTmaAsync.create(
            num_stages=4,
            producer_group=one,
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 8),
            tx_count=1024,
            barrier_storage=storage.data_ptr(),
        )
        accumulators = pipeline.PipelineUmmaAsync.create(
            num_stages=2,
            producer_group=one,
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 256),
            barrier_storage=other.data_ptr(),
        )
        elected = pipeline.PipelineUmmaAsync.create(
            num_stages=2,
            producer_group=one,
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 8),
            barrier_storage=third.data_ptr(),
        )
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 4)
        if warp_idx < 8:
            for i in range(8):
                ring.consumer_wait(state)
                ring.consumer_release(state)
                accumulators.consumer_release(state)
                with cute.arch.elect_one():
                    elected.consumer_release(state)  # expect: D2 release arrives=onethreadofeachwarp
                state.advance()
