# Two consumer warpgroups release each stage, eight warps; the group says one.
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=[8, 1, 1], block=[288, 1, 1])

    @cute.kernel
    def kernel(self, storage):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        ring = pipeline.PipelineTmaAsync.create(  # expect-lint: arrival-count the empty barriers of ring expect 1 arrivals, 8 warps of
            num_stages=4,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 1),
            tx_count=1024,
            barrier_storage=storage.data_ptr(),
        )
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 4)
        if warp_idx < 8:  # expect: D1 role threads=256
            for i in range(8):
                ring.consumer_wait(state)
                ring.consumer_release(state)  # expect: D2 release arrives=onethreadofeachwarp pipeline=ring
                state.advance()
