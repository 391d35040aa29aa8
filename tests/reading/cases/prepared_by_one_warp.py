# One warp that only prefetches descriptors and initialises barriers has no part of its own, even where the
# same warps are singled out again inside a role.
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


class Kernel:
    def __init__(self):
        self.epilog_warp_id = (0, 1, 2, 3)
        self.mma_warp_id = 4

    @cute.kernel
    def kernel(self, atom, x, y, bars):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        if warp_idx == self.epilog_warp_id[0]:  # expect: D1 role elected=true prepares=true
            cpasync.prefetch_descriptor(atom)
            for i in range(4):
                cute.arch.mbarrier_init(bars + i, 1)
            cute.arch.mbarrier_init_fence()
        if warp_idx == self.mma_warp_id:
            for k in range(8):
                cute.copy(atom, x[k], y[k])
        if warp_idx < self.mma_warp_id:
            for k in range(8):
                y[k] = y[k] + x[k]
        if warp_idx == self.epilog_warp_id[1]:  # expect: D1 role elected=true
            y[9] = 0
