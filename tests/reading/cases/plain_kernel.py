# expect-pattern: P2 absent
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    x[0] = 1
