# The loop over the blocks of one stage is not the loop that a drain follows; the stages whose release was put
# off are released after it.
# expect-pattern: P10 present default_active wgmma_wait0=true
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass.cute.nvgpu import warpgroup


@cute.kernel
def kernel(tiled_mma, acc, a, b, storage):
    one = pipeline.CooperativeGroup(pipeline.Agent.Thread)
    ring = pipeline.PipelineTmaAsync.create(
        num_stages=4, producer_group=one, consumer_group=one, tx_count=1024, barrier_storage=storage.a
    )
    state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 4)
    for tile in range(4):
        for k in range(8):
            ring.consumer_wait(state)
            for block in range(4):
                cute.gemm(tiled_mma, acc, a[block], b[block], acc)
            warpgroup.commit_group()
            if k == 4:
                warpgroup.wait_group(0)  # expect-no-evidence: P10
            ring.consumer_release(state)  # expect-no-evidence: P10
        warpgroup.wait_group(0)  # expect-evidence: P10
        for k in range(2):
            ring.consumer_release(state)  # expect-evidence: P10
