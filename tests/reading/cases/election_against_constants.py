# A thread index held to a constant of the module, or to a count of stages, elects threads.
# expect-pattern: P9 absent
import cutlass.cute as cute

_HALF_WARP = 16


@cute.kernel
def kernel(x: cute.Tensor, bars, num_ab_stage):
    tidx, _, _ = cute.arch.thread_idx()
    if tidx < _HALF_WARP:
        x[tidx] = 1
    if tidx < num_ab_stage:
        init(bars[tidx])
