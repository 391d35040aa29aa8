# expect-pattern: P4 present default_active kind=online_softmax
import cutlass.cute as cute


@cute.jit
def merge(row_max, row_sum, other_max, other_sum):
    new_max = cute.arch.fmax(row_max, other_max)
    rescaled = row_sum * cute.math.exp2((row_max - new_max) * 1.44, fastmath=True)
    rescaled += other_sum * cute.math.exp2((other_max - new_max) * 1.44, fastmath=True)
    return new_max, rescaled


@cute.kernel
def kernel(x):
    m = 0.0
    s = 0.0
    for i in range(8):
        m, s = merge(m, s, x[i], 1.0)
