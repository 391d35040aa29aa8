# What has to hold around a statement: the whole chain, through loops; of `else` everything before it. A condition
# that is only partly known while tracing stays a test.
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self, width: int):
        self.width = width

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32, m: cutlass.Int32):
        if cutlass.const_expr(a.shape[0] == 8):
            layout = cute.make_swizzle(1, 3, 3)
        elif cutlass.const_expr(a.shape[0] == 16):
            layout = cute.make_swizzle(2, 3, 3)
        else:
            layout = cute.make_swizzle(3, 3, 3)
        self.kernel(a, b, n, m).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, gA: cute.Tensor, sA: cute.Tensor, n: cutlass.Int32, m: cutlass.Int32):
        atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), cutlass.Float16)
        tidx, _, _ = cute.arch.thread_idx()
        for i in cutlass.range(4):
            if i < n:
                for j in cutlass.range_constexpr(2):
                    if j < m:
                        cute.copy(atom, gA[None, i], sA[None, j])  # expect: D3 copy guard=i<nandj<m
                    else:
                        cute.copy(atom, gA[None, 0], sA[None, j])  # expect: D3 copy guard=i<nandnot(j<m)
        if cutlass.const_expr(n is None) or tidx < m:  # expect: D1 branch decided=run-time
            gA[tidx] = sA[tidx]
        if cutlass.const_expr(self.width == 4) or cutlass.const_expr(not self.width):  # expect: D1 branch decided=compile-time
            gA[tidx] = sA[tidx]
