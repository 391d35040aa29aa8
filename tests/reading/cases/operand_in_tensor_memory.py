# An operand of a multiply that lies in tensor memory is no accumulator, and on a side that is not compiled out.
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self, from_tmem: bool = False):
        self.from_tmem = from_tmem

    @cute.jit
    def __call__(self, mma: cute.TiledMma, a: cute.Tensor):
        self.kernel(mma, a).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, tiled_mma: cute.TiledMma, tmem_base, sA, sB, layout):
        tCtAcc = cute.make_tensor(tmem_base, layout)  # expect: D4 accumulator accumulator=tensor-memory
        if cutlass.const_expr(self.from_tmem):
            left = cute.make_tensor(  # expect: D4 tensor-memory-tensor operand=A active=false
                tmem_base + 128,
                tiled_mma.make_fragment_A(sA).layout)  # expect: D4 operand-fragment active=false
        else:
            left = tiled_mma.make_fragment_A(sA)
        tmem_right = cute.make_tensor(tmem_base + 256, layout)  # expect: D4 tensor-memory-tensor operand=B
        cute.gemm(tiled_mma, tCtAcc, left[None, 0], tmem_right[None, 0], tCtAcc)
