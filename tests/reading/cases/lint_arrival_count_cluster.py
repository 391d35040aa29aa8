# Two CTAs of a cluster share the tiles: each warp tells both that it has read.
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=[8, 1, 1], block=[288, 1, 1], cluster=[2, 1, 1])

    @cute.kernel
    def kernel(self, storage, other):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        one = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        ring = pipeline.PipelineTmaAsync.create(  # expect-lint: arrival-count the empty barriers of ring expect 4 arrivals, 8 warps of warp_idx < 8, times 2 arrive
            num_stages=4,
            producer_group=one,
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4),
            tx_count=1024,
            barrier_storage=storage.data_ptr(),
        )
        right = pipeline.PipelineTmaAsync.create(
            num_stages=4,
            producer_group=one,
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 16),
            tx_count=1024,
            barrier_storage=other.data_ptr(),
        )
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 4)
        if warp_idx < 8:
            for i in range(8):
                ring.consumer_wait(state)
                ring.consumer_release(state)
                right.consumer_wait(state)
                right.consumer_release(state)
                state.advance()
        ring.producer_tail(state)
        right.producer_tail(state)
