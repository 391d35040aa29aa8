# Which of two classes the helper makes is known only to its caller, who is elsewhere: no class is claimed.
import cutlass.cute as cute
import cutlass.pipeline as pipeline


def make_ring(umma, barriers):
    group = pipeline.CooperativeGroup(pipeline.Agent.Thread)
    if umma:
        return pipeline.PipelineTmaUmma.create(
            num_stages=2, producer_group=group, consumer_group=group, tx_count=64, barrier_storage=barriers
        )
    return pipeline.PipelineTmaAsync.create(
        num_stages=2, producer_group=group, consumer_group=group, tx_count=64, barrier_storage=barriers
    )


@cute.kernel
def kernel(umma, x):
    ring = make_ring(umma, x.iterator)
    state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 2)
    ring.producer_acquire(state)  # expect: D2 acquire class=?
