# The atom of a reduction comes through the kernel's argument: the compiler makes tma-reduce of the copy, not a store.
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


class Kernel:
    @cute.jit
    def __call__(self, c, layout):
        reduce_op = cpasync.CopyReduceBulkTensorTileS2GOp()
        tma_atom_c, tma_c = cpasync.make_tiled_tma_atom(reduce_op, c, layout, (64, 64))  # expect: H1 tma-descriptor direction=reduce
        tma_atom_d, tma_d = cpasync.make_tiled_tma_atom(  # expect: H1 tma-descriptor direction=store
            cpasync.CopyBulkTensorTileS2GOp(), c, layout, (64, 64)
        )
        self.kernel(tma_atom_c, tma_atom_d, tma_c).launch(grid=[1, 1, 1], block=[128, 1, 1])

    @cute.kernel
    def kernel(self, tma_atom_c, tma_atom_d, out):
        self.finish(tma_atom_c, tma_atom_d, out)

    @cute.jit
    def finish(self, tma_atom_c, tma_atom_d, out):
        cute.copy(tma_atom_c, out[0], out[1])  # expect: D3 copy operation=tma-reduce
        cute.copy(tma_atom_d, out[0], out[1])  # expect: D3 copy operation=tma-store
