# The matrix multiply is handed to a method of its own; its last groups are waited for there.
# expect-pattern: P10 present wgmma_wait0=true
import cutlass.cute as cute
from cutlass.cute.nvgpu import warpgroup


class Kernel:
    @cute.jit
    def mainloop(self, mma_fn, tiles):
        for k in range(tiles):
            mma_fn(k)
            warpgroup.wait_group(0)  # expect-no-evidence: P10
        warpgroup.wait_group(0)  # expect-evidence: P10

    @cute.kernel
    def kernel(self, mma_fn, tiles):
        self.mainloop(mma_fn, tiles)
