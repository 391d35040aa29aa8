# A member whose size only a launch tells: no finding, and the missing number is named.
# read-arch: sm_90a
# expect-lint-undecided: smem-over-limit tile
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


class Kernel:
    def __init__(self, rows):
        self.rows = rows

    @cute.jit
    def __call__(self, x):
        @cute.struct
        class SharedStorage:
            tile: cute.struct.MemRange[cutlass.Float32, x.shape[0]]

        self.kernel(SharedStorage).launch(grid=[1, 1, 1], block=[32, 1, 1])

    @cute.kernel
    def kernel(self, storage_type: cutlass.Constexpr):
        storage = utils.SmemAllocator().allocate(storage_type)
