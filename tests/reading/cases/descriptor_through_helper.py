import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync as bulk


class Kernel:
    def __init__(self):
        self.cluster = (1, 2)

    @cute.jit
    def __call__(self, a, b, c):
        tma_atom_a, tma_a = self.load_atom(a, self.cluster[1])  # expect: H1 tma-descriptor tensor=a direction=load multicast=true
        tma_atom_b, tma_b = self.load_atom(b, self.cluster[0])  # expect: H1 tma-descriptor tensor=b direction=load multicast=false
        tma_atom_c, tma_c = bulk.make_tiled_tma_atom(  # expect: H1 tma-descriptor tensor=c direction=store operation=CopyBulkTensorTileS2GOp
            bulk.CopyBulkTensorTileS2GOp(), c, self.layout, self.tile
        )
        self.kernel(tma_atom_a, tma_atom_c, tma_c).launch(grid=[1, 1, 1], block=[128, 1, 1])

    @staticmethod
    def load_atom(tensor, degree):
        op = (
            bulk.CopyBulkTensorTileG2SOp()
            if degree == 1
            else bulk.CopyBulkTensorTileG2SMulticastOp()
        )
        return bulk.make_tiled_tma_atom(op, tensor, None, (64, 64), num_multicast=degree)  # expect: H1 tma-descriptor

    @cute.kernel
    def kernel(self, load, store, out):
        cute.copy(load, out[0], out[1], tma_bar_ptr=out)  # expect: D3 copy operation=tma-load
        cute.copy(store, out[1], out[0])  # expect: D3 copy operation=tma-store
