# 16 stages that fit Hopper's 227 KiB twice over do not fit the 99 KiB of a GeForce.
# read-arch: sm_120a
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils

num_stages = 16


@cute.struct
class SharedStorage:  # expect-lint: smem-over-limit 196,864 bytes of shared memory; sm_120a lets a CTA have 101,376; at 12,288 bytes a stage 8 of the 16 stages
    barriers: cute.struct.MemRange[cutlass.Int64, num_stages * 2]
    a: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, 64 * 64 * num_stages], 128]
    b: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, 32 * 64 * num_stages], 128]


@cute.kernel
def kernel(group):
    storage = utils.SmemAllocator().allocate(SharedStorage)
    ring = pipeline.PipelineTmaAsync.create(
        num_stages=num_stages,
        producer_group=group,
        consumer_group=group,
        tx_count=12288,
        barrier_storage=storage.barriers.data_ptr(),
    )
