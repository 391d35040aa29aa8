# A maximum over a row that is read once is a reduction.
# expect-pattern: P4 absent
import cutlass.cute as cute


@cute.kernel
def kernel(x, y):
    row_max = x.load().reduce(cute.ReductionOp.MAX)
    y.store(cute.math.exp2(x.load() - row_max))
