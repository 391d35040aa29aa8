# Elements written into a view of an argument leave the kernel; what an MMA's fragment takes in does not.
# expect-pattern: P8 present default_active kind=direct_store
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(out: cute.Tensor, tiled_mma: cute.TiledMma):
    tidx, _, _ = cute.arch.thread_idx()
    rows = cute.local_tile(out, (1, 8), (0, 0))
    part = tiled_mma.get_slice(tidx).make_fragment_A(tidx)
    part[0] = 1
    for i in range(8):
        rows[tidx, i] = cutlass.Float16(i)
