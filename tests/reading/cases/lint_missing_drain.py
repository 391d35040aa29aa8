# In a cluster of two the producer leaves while the peer may still arrive on its barriers.
import cutlass.cute as cute
import cutlass.pipeline as pipeline


@cute.kernel
def kernel(tma_a, gA, sA, storage):
    group = pipeline.CooperativeGroup(pipeline.Agent.Thread)
    ring = pipeline.PipelineTmaAsync.create(
        num_stages=4, producer_group=group, consumer_group=group, tx_count=64, barrier_storage=storage.data_ptr()
    )
    state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 4)
    for k in range(8):
        ring.producer_acquire(state)  # expect-lint: missing-drain with 2 CTAs in a cluster a peer may still arrive
        cute.copy(tma_a, gA[k], sA[k], tma_bar_ptr=ring.producer_get_barrier(state))
        state.advance()


@cute.jit
def host(tma_a, gA, sA, storage):
    kernel(tma_a, gA, sA, storage).launch(grid=[2, 1, 1], block=[32, 1, 1], cluster=[2, 1, 1])
