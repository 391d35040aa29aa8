# The last branch of a chain is compiled where none before it is: its condition names them all.
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self, rows: int = 16):
        self.rows = rows

    @cute.jit
    def __call__(self, a: cute.Tensor):
        if cutlass.const_expr(self.rows == 8):
            swizzle = cute.make_swizzle(1, 3, 3)  # expect: D6 shared-layout active=false condition=cutlass.const_expr(self.rows==8)
        elif cutlass.const_expr(self.rows == 16):
            swizzle = cute.make_swizzle(2, 3, 3)
        else:
            swizzle = cute.make_swizzle(3, 3, 3)  # expect: D6 shared-layout active=false condition=notcutlass.const_expr(self.rows==8)andnotcutlass.const_expr(self.rows==16)
        self.kernel(a).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor):
        a[0] = 1.0


def main():
    Kernel(16)(cute.runtime.make_fake_tensor(cutlass.Float16, (128, 8)))


main()
