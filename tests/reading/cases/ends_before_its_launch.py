# A program that surely ends with an error launches nothing: its numbers are not told.
import cutlass
import cutlass.cute as cute

# expect-give-up: the program ends with an error: ValueError: unpacks 3 values into 2
tiles, rest = (4, 5, 6)


@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1


@cute.jit
def run(a: cute.Tensor):
    kernel(a).launch(grid=[tiles, 1, 1], block=[32, 1, 1])  # expect: H2 launch grid=? block=? threads=?
