# expect-lint-passed: cluster-not-portable
# expect-lint-passed: cluster-shape
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    x[0] = 1


@cute.jit
def host(x):
    kernel(x).launch(grid=[4, 32, 1], block=[128, 1, 1], cluster=[2, 4, 1])
