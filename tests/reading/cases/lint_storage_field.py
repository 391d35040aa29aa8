"""A member of shared storage is opened inside a role's branch."""
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


@cute.struct
class SharedStorage:
    tile: cute.struct.MemRange[cutlass.Float16, 1024]


@cute.kernel
def kernel(layout, a):
    storage = utils.SmemAllocator().allocate(SharedStorage)
    warp_idx = cute.arch.warp_idx()
    if warp_idx == 0:
        tile = storage.tile.get_tensor(layout)  # expect-lint: storage-field-in-branch warp_idx == 0
        for k in range(8):
            cute.copy(a, a, tile)
    else:
        for k in range(8):
            cute.gemm(a, a, a, a, a)


@cute.jit
def run(layout, a):
    kernel(layout, a).launch(grid=(1, 1, 1), block=[128, 1, 1])
# expect-remedy: storage-field-in-branch move the call above the branch
