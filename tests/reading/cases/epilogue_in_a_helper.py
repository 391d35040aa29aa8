# What a function does to the accumulators before they are stored is a step of the epilogue, at its call; the
# same between two multiplies is none, and views of operands belong to their loads.
import cutlass
import cutlass.cute as cute


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x, x, x, x, x).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, tiled_mma, sA, gC, row_sum, tidx):
        thr_mma = tiled_mma.get_slice(tidx)
        tCrA = thr_mma.make_fragment_A(thr_mma.partition_A(sA))
        copy_A = cute.make_tiled_copy_A(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16), tiled_mma)
        tCrA_view = copy_A.get_slice(tidx).retile(tCrA)  # expect-none: E1 epilogue-step
        acc = cute.make_rmem_tensor((4, 2), cutlass.Float32)
        for k in range(8):
            self.normalize(acc, row_sum)  # expect-none: E1 epilogue-step
            cute.gemm(tiled_mma, acc, tCrA, tCrA, acc)
        self.normalize(acc, row_sum)  # expect: E1 epilogue-step factor=scale says=accscaledinnormalize
        out = acc.load().to(cutlass.Float16)
        cute.autovec_copy(out, gC)

    def view_of(self, acc):
        return cute.make_tensor(acc.iterator, acc.layout)

    @cute.jit
    def normalize(self, acc, row_sum):
        rows = self.view_of(acc)
        for r in cutlass.range_constexpr(4):
            scale = cute.arch.rcp_approx(row_sum[r])
            rows[r, None] = rows[r, None].load() * scale
