# A pipeline of zero stages that the defaults leave out is no finding; one of four stages passes.
# expect-lint-passed: no-stages
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline

use_store = False
num_store_stages = 4 if use_store else 0


@cute.kernel
def kernel(group, storage):
    ring = pipeline.PipelineTmaAsync.create(
        num_stages=4, producer_group=group, consumer_group=group, tx_count=64, barrier_storage=storage.data_ptr()
    )
    if cutlass.const_expr(use_store):
        stores = pipeline.PipelineTmaStore.create(num_stages=num_store_stages, producer_group=group)
