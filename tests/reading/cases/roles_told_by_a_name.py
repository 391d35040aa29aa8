# expect-pattern: P2 present
import cutlass.cute as cute
from cutlass.experimental import primitives as prims

_WARP_SIZE = 32
_PRODUCER_WARP = 0  # expect: D1 role warps=0


@cute.kernel
def kernel(src, dst, full, empty, tiles):
    tidx, _, _ = cute.arch.thread_idx()
    warp_idx = tidx // _WARP_SIZE
    producer = warp_idx == _PRODUCER_WARP
    consumer = warp_idx == 1
    if producer:  # expect: D1 role elected=true
        for i in range(4):
            prims.mbarrier_init(full, 1)
    prims.fence_mbarrier_init()
    if producer:  # expect: D1 role elected=false
        for k in range(tiles):
            prims.cp_async_bulk_shared_cluster_global(dst, src, full)
    if consumer:  # expect: D1 role elected=false
        for k in range(tiles):
            prims.ld_shared(src)
