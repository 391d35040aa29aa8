# One output goes by TMA, another from registers: TMA clips its own part only.
# expect-pattern: P9 absent
# expect-why: P9 TMA clips what it moves
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(tma_atom: cute.CopyAtom, gC: cute.Tensor, sC: cute.Tensor, gSums: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    cute.copy(tma_atom, sC, gC)
    gSums[tidx] = sC[tidx]


@cute.jit
def launch(c: cute.Tensor, sums: cute.Tensor, layout):
    tma_atom, tma_tensor = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), c, layout, (128, 32))
    kernel(tma_atom, tma_tensor, c, sums).launch(grid=(1, 1, 1), block=(128, 1, 1))
