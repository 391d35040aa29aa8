# A guard is one by what it compares, a thread's coordinate with an extent of the data, whatever both are called.
# expect-pattern: P9 present default_active
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32, counts: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    lane = cute.arch.lane_idx()
    idx = bidx * 128 + tidx
    max_idx = a.shape[0]
    if idx < max_idx:  # expect: B1 guard
        a[idx] = cutlass.Float32(1.0)
    twice = n * 2
    if idx >= twice:  # expect: B1 guard
        b[0] = idx
    where = cute.make_identity_tensor((8, 16))
    mine = cute.local_partition(where, cute.make_layout(32), tidx)
    splits = counts[bidx]
    for s in cutlass.range_constexpr(4):
        si = mine[s][0]
        if si < splits:  # expect: B1 guard
            a[si] = b[si]
    inside = bidx * 8 + lane < a.shape[1]  # expect: B1 predicate
    if tidx < 32 and inside:  # expect: B1 guard
        b[lane] = a[lane]
    fits = cute.make_rmem_tensor((4,), cutlass.Boolean)
    for k in cutlass.range_constexpr(4):
        fits[k] = (mine[k][1] < a.shape[0] - bidx)  # expect: B1 predicate
    for k in cutlass.range_constexpr(4):
        if cutlass.const_expr(False) or fits[k]:  # expect: B1 guard
            b[k] = a[k]
