# The deciding line is one that runs and needs what is said; a branch that the defaults leave out is none.
# expect-arch: sm_80
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.eight_bits = False

    @cute.kernel
    def kernel(self, a, b):
        if cutlass.const_expr(self.eight_bits):
            op = cute.nvgpu.warp.MmaFP8Op(cutlass.Float8E4M3FN, cutlass.Float32, (16, 8, 32))
        else:
            op = cute.nvgpu.warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))
        cute.arch.cp_async_commit_group()
