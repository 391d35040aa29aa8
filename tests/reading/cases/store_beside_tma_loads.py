# TMA clips what it loads; a store from registers that nothing guards reaches outside.
# expect-pattern: P9 absent
# expect-why: P9 TMA clips loads, the direct store has no guard
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(tma_atom: cute.CopyAtom, gA: cute.Tensor, sA: cute.Tensor, gC: cute.Tensor, bar):
    tidx, _, _ = cute.arch.thread_idx()
    cute.copy(tma_atom, gA, sA, tma_bar_ptr=bar)
    cute.arch.mbarrier_wait(bar, 0)
    gC[tidx] = sA[tidx]


@cute.jit
def launch(a: cute.Tensor, c: cute.Tensor, layout):
    tma_atom, tma_tensor = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), a, layout, (128, 32))
    kernel(tma_atom, tma_tensor, a, c, 0).launch(grid=(1, 1, 1), block=(128, 1, 1))
