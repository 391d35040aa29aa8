# What is expected is what the two loads bring.
# expect-lint-passed: transaction-bytes
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
from cutlass.cute.nvgpu import cpasync

stages = 4


@cute.struct
class SharedStorage:
    barriers: cute.struct.MemRange[cutlass.Int64, stages * 2]
    sA: cute.struct.MemRange[cutlass.Float16, 128 * 64 * stages]
    sB: cute.struct.MemRange[cutlass.Float16, 64 * 64 * stages]


@cute.kernel
def kernel(tma_a, tma_b, gA, gB, layout):
    storage = utils.SmemAllocator().allocate(SharedStorage)
    group = pipeline.CooperativeGroup(pipeline.Agent.Thread)
    ring = pipeline.PipelineTmaAsync.create(
        num_stages=stages,
        producer_group=group,
        consumer_group=group,
        tx_count=(128 + 64) * 64 * 2,
        barrier_storage=storage.barriers.data_ptr(),
    )
    sA = storage.sA.get_tensor(layout)
    sB = storage.sB.get_tensor(layout)
    tAsA, tAgA = cpasync.tma_partition(tma_a, 0, layout, cute.group_modes(sA, 0, 2), gA)
    tBsB, tBgB = cpasync.tma_partition(tma_b, 0, layout, cute.group_modes(sB, 0, 2), gB)
    state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, stages)
    for k in range(8):
        ring.producer_acquire(state)
        cute.copy(tma_a, tAgA[k], tAsA[(None, state.index)], tma_bar_ptr=ring.producer_get_barrier(state))  # expect: D3 copy pipeline=ring buffer=sA
        cute.copy(tma_b, tBgB[k], tBsB[(None, state.index)], tma_bar_ptr=ring.producer_get_barrier(state))
        ring.producer_commit(state)
        state.advance()
