# The descriptor's operation does not multicast, the copies do: how many CTAs share a tile is theirs to say.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


def make_descriptor(tensor, rows, tile):
    tma_atom, tma_tensor = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), tensor, rows, tile)
    return tma_atom, tma_tensor


class Kernel:
    @cute.jit
    def __call__(self, mA: cute.Tensor):
        rows = cute.make_layout((64, 32), stride=(32, 1))
        tma_atom_a, tma_tensor_a = make_descriptor(mA, rows, (64, 32))  # expect: H1 tma-descriptor multicast=true multicast_degree=?
        self.kernel(tma_atom_a, tma_tensor_a).launch(grid=(2, 1, 1), block=(128, 1, 1), cluster=(2, 1, 1))

    @cute.kernel
    def kernel(self, tma_atom_a: cute.CopyAtom, mA: cute.Tensor):
        shared = cute.arch.block_idx_in_cluster()
        load_a = get_copy_fn(tma_atom_a, mA, mA, tma_multicast=shared)


Kernel()(None)
