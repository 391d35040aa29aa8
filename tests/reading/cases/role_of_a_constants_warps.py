# A branch below the next role's first warp is named for the constant that lists its warps.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


class Kernel:
    def __init__(self):
        self.epilog_warp_id = (0, 1, 2, 3)
        self.mma_warp_id = 4
        self.tma_warp_id = 5

    @cute.jit
    def __call__(self, a: cute.Tensor, c: cute.Tensor):
        tma_atom_c, tma_tensor_c = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), c, c.layout, (128, 32))
        self.kernel(tma_atom_c, tma_tensor_c, a).launch(grid=(1, 1, 1), block=(192, 1, 1))

    @cute.kernel
    def kernel(self, tma_atom_c: cute.CopyAtom, c: cute.Tensor, a: cute.Tensor):
        warp_idx = cute.arch.warp_idx()
        if warp_idx < self.mma_warp_id:
            for i in cutlass.range(4):
                cute.copy(tma_atom_c, a[None, i], c[None, i])  # expect-role: epilog
                cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0)
        if warp_idx == self.mma_warp_id:
            for i in cutlass.range(4):
                a[i] = 0
