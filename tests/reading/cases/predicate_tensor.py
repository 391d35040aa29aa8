# A tensor that is filled with comparisons is a predicate: where it is tested, loads and stores are guarded.
# expect-pattern: P9 present default_active
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(gX: cute.Tensor, gY: cute.Tensor, n: cutlass.Int32):
    tidx, _, _ = cute.arch.thread_idx()
    pred = cute.make_rmem_tensor(4, cutlass.Boolean)
    for i in range(4):
        pred[i] = (i * 128 + tidx) * 8 < n
    for i in range(4):
        if pred[i]:
            cute.autovec_copy(gX[None, i], gY[None, i])
