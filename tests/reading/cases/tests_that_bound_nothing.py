# Elections, tiles left to do and limits that the configuration sets are no boundaries of the data; the first values
# of a tensor mask nothing.
# expect-pattern: P9 absent
import cutlass
import cutlass.cute as cute


@cute.jit
def work(a: cute.Tensor):
    a[0] = 2.0


@cute.kernel
def kernel(a: cute.Tensor, n: cutlass.Int32, warps: cutlass.Constexpr):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    width = 8
    if tidx < width:
        a[tidx] = 0.0
    if bidx < n:
        work(a)
    if tidx // 32 < warps:
        a[tidx] = 1.0
    m = cute.make_rmem_tensor((4,), cutlass.Float32)
    m[0] = -cutlass.Float32.inf
    smem = cutlass.utils.SmemAllocator()
    shared = smem.allocate_tensor(cutlass.Float32, cute.make_layout(8), 16)
    if tidx == 0:
        shared[tidx] = -cutlass.Float32.inf
    a[tidx] = m[0]
