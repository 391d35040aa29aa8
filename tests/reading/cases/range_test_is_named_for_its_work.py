# expect-pattern: P2 present
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.mma_warp_id = 4

    @cute.kernel
    def kernel(self, tiled_mma, acc, a, b, gC):
        warp_idx = cute.arch.warp_idx()
        if warp_idx == self.mma_warp_id:
            for k in range(8):
                cute.gemm(tiled_mma, acc, a, b, acc)  # expect-role: mma
        if warp_idx < self.mma_warp_id:
            for i in range(4):
                cute.autovec_copy(acc, gC)  # expect-role: epilogue
