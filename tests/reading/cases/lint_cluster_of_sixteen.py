# 16 CTAs are allowed and divide the grid, but not every device takes more than 8.
# expect-lint-passed: cluster-shape
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    x[0] = 1


@cute.jit
def host(x):
    kernel(x).launch(grid=[16, 32, 1], block=[128, 1, 1], cluster=[1, 16, 1])  # expect-lint: cluster-not-portable 16 CTAs: beyond the 8 that every device takes
# expect-remedy: cluster-not-portable ask the device for its largest cluster
