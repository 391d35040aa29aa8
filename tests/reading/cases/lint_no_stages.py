# A tile so large that not one stage fits.
import cutlass.cute as cute
import cutlass.pipeline as pipeline

capacity = 101376
stage_bytes = 128 * 256 * 4
num_stages = (capacity - 1024) // stage_bytes


@cute.kernel
def kernel(group, storage):
    ring = pipeline.PipelineTmaAsync.create(  # expect-lint: no-stages ring has 0 stages
        num_stages=num_stages,
        producer_group=group,
        consumer_group=group,
        tx_count=stage_bytes,
        barrier_storage=storage.data_ptr(),
    )
