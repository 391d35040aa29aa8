# Extents that are none, and a CTA that no device takes.
import cutlass
import cutlass.cute as cute

big = len([1]) == 1
tiles = 4 - 7
half = 256 / 2


@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1


@cute.jit
def run(a: cute.Tensor):
    kernel(a).launch(grid=[big, 1, 1], block=[32, 1, 1])  # expect-lint: no-extent grid (true, 1, 1)
    kernel(a).launch(grid=[tiles, 1, 1], block=[32, 1, 1])  # expect-lint: no-extent grid (-3, 1, 1)
    kernel(a).launch(grid=[1, 1, 1], block=[half, 1, 1])  # expect-lint: no-extent block (128
    kernel(a).launch(grid=[1, 1, 1], block=[0, 1, 1], cluster=[2, -1, 1])  # expect-lint: no-extent block (0, 1, 1)
    kernel(a).launch(grid=[1, 1, 1], block=[64, 32, 1])  # expect-lint: no-extent 2048 threads
