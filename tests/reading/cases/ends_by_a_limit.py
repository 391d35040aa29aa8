# A run that a limit ends says nothing of what stands behind it.
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1


@cute.jit
def run(a: cute.Tensor, tiles):
    kernel(a).launch(grid=[tiles, 1, 1], block=[32, 1, 1])  # expect: H2 launch grid=? threads=?


tiles = 4
for i in range(2000):
    for j in range(2000):
        tiles = tiles + 1  # expect-give-up: the evaluation's step limit was reached
run(None, tiles)
