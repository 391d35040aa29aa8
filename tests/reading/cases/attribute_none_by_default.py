# An attribute that is None unless a caller hands something in: what hangs on it is left out by default.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


class Kernel:
    def __init__(self, make_transform=None):
        self.transform = None
        if make_transform is not None:
            self.transform = make_transform(self)

    @cute.jit
    def __call__(self, mA: cute.Tensor):
        owned = cutlass.const_expr(self.transform is not None and self.transform.owns)
        rows = cute.make_layout((64, 32), stride=(32, 1))
        op = cpasync.CopyBulkTensorTileG2SOp()
        if cutlass.const_expr(not owned):
            tma_atom_a, tma_tensor_a = cpasync.make_tiled_tma_atom(op, mA, rows, (64, 32))  # expect: H1 tma-descriptor direction=load
        else:
            tma_atom_a, tma_tensor_a = self.transform.make_a_tma(mA)  # expect: H1 tma-descriptor active=false
        self.kernel(tma_atom_a, tma_tensor_a).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, atom: cute.CopyAtom, tensor: cute.Tensor):
        tidx, _, _ = cute.arch.thread_idx()
