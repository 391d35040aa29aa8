# Who arrives when a stage of a TMA ring is released: signalling lanes, all where tidx= is alike; the tensor
# cores where a pipeline of several consumers is not told that threads consumed.
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=[8, 1, 1], block=[128, 1, 1], cluster=[2, 1, 1])

    @cute.kernel
    def kernel(self, storage, unknown):
        one = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        many = pipeline.CooperativeGroup(pipeline.Agent.Thread, 8)
        ring = pipeline.PipelineTmaAsync.create(
            num_stages=4, producer_group=one, consumer_group=many, tx_count=1024, barrier_storage=storage.a
        )
        alike = pipeline.PipelineTmaAsync.create(
            num_stages=4, producer_group=one, consumer_group=many, tx_count=1024, barrier_storage=storage.b, tidx=0
        )
        both = pipeline.PipelineTmaMultiConsumersAsync.create(
            num_stages=4, producer_group=one, tx_count=1024, barrier_storage=storage.c
        )
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 4)
        ring.consumer_release(state)  # expect: D2 release arrives=thesignallingthreadsofeachwarp,oneforeachCTAthatsharesthetile
        alike.consumer_release(state)  # expect: D2 release arrives=everythread
        both.consumer_release(state)  # expect: D2 release arrives=thetensorcores,whentheirMMAsaredone
        both.consumer_release(state, pipeline.PipelineOp.AsyncThread)  # expect: D2 release arrives=?
        unknown.consumer_release(state)  # expect: D2 release arrives=?
