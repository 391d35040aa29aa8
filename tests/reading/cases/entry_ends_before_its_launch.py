# A function that ends with an error before its launch launches nothing.
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1


@cute.jit
def run(a: cute.Tensor, stages=0):
    tiles = 8 // stages  # expect-give-up: an entry ends with an error: ZeroDivisionError: division by zero
    kernel(a).launch(grid=[4, 1, 1], block=[32, 1, 1])  # expect: H2 launch grid=? threads=?
