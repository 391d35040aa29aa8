# What the epilogue does to the accumulators on their way out; a rescale between two multiplies is none of it,
# nor is the conversion of an operand.
import cutlass
import cutlass.cute as cute


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x, x, x, x, x).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, tiled_mma, acc, frag, gC, alpha):
        for tile in range(4):
            for k in range(8):
                for i in range(cute.size(acc)):
                    acc[i] = acc[i] * 0.5
                half = frag.load().to(cutlass.BFloat16)
                cute.gemm(tiled_mma, acc, frag, frag, acc)
            for i in range(cute.size(acc)):
                acc[i] = acc[i] * alpha  # expect: E1 epilogue-step factor=alpha
            out = acc.load().to(cutlass.Float16)  # expect: E1 epilogue-step type=Float16
            frag.store(out)
            cute.autovec_copy(frag, gC)
