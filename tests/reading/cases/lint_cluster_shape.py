# 33 tiles do not fill clusters of two.
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    x[0] = 1


@cute.jit
def host(x):
    kernel(x).launch(grid=[33, 4, 1], block=[128, 1, 1], cluster=[2, 1, 1])  # expect-lint: cluster-shape mode 0 of the grid, 33, is no multiple of the cluster's 2
