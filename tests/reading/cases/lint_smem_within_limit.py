# The same ring on Hopper, and a limit that counts what a block may opt in to, not the 48 KiB it has unasked.
# read-arch: sm_90a
# expect-lint-passed: smem-over-limit
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

num_stages = 16


@cute.struct
class SharedStorage:
    barriers: cute.struct.MemRange[cutlass.Int64, num_stages * 2]
    a: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, 64 * 64 * num_stages], 128]
    b: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, 32 * 64 * num_stages], 128]


@cute.kernel
def kernel():
    storage = utils.SmemAllocator().allocate(SharedStorage)
