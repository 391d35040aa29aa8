# One warp that issues the copies and rejoins the others is no specialization.
# expect-pattern: P2 absent
import cutlass.cute as cute


@cute.kernel
def kernel(atom, x, y):
    warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp_idx == 0:  # expect: D1 role elected=false
        for k in range(8):
            cute.copy(atom, x[k], y[k])
    for k in range(8):
        y[k] = y[k] + x[k]
