# Extents that no flag is named after: the tensor itself says how often a tile fits, and that TMA does not move it.
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor


@cute.kernel
def kernel(atom: cute.CopyAtom, mA: cute.Tensor, mC: cute.Tensor):
    bidx, bidy, _ = cute.arch.block_idx()
    gA = cute.local_tile(mA, (64, 64), (bidx, bidy))  # expect: B1 tiling tma=load extents=(512,512)
    gC = cute.local_tile(mC, (64, 128), (bidx, bidy))  # expect: B1 tiling tma=none extents=(512,512)


@cute.jit
def launch(a: cute.Tensor, c: cute.Tensor):
    load = cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp()
    layout = cute.make_ordered_layout((64, 64), order=(1, 0))
    atom, tensor = cute.nvgpu.cpasync.make_tiled_tma_atom(load, a, layout, (64, 64))
    kernel(atom, tensor, c).launch(grid=(8, 8, 1), block=(128, 1, 1))


if __name__ == "__main__":
    launch(
        make_fake_compact_tensor(cutlass.Float16, (512, 512), stride_order=(1, 0)),
        make_fake_compact_tensor(cutlass.Float16, (512, 512), stride_order=(1, 0)),
    )
