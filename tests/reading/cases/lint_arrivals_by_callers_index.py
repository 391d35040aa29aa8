# tidx= decides which threads signal: nothing is claimed.
# expect-lint-undecided: arrival-count tidx
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=[8, 1, 1], block=[128, 1, 1])

    @cute.kernel
    def kernel(self, storage):
        ring = pipeline.PipelineTmaAsync.create(
            num_stages=4,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 128),
            tx_count=1024,
            barrier_storage=storage.data_ptr(),
            tidx=0,
        )
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 4)
        for i in range(8):
            ring.consumer_wait(state)
            ring.consumer_release(state)
            state.advance()
