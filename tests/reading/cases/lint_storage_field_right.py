"""Members are opened before the warps part, or on a branch of the compiler."""
# expect-lint-passed: storage-field-in-branch
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


@cute.struct
class SharedStorage:
    tile: cute.struct.MemRange[cutlass.Float16, 1024]


@cute.kernel
def kernel(layout, a, twice: cutlass.Constexpr):
    storage = utils.SmemAllocator().allocate(SharedStorage)
    warp_idx = cute.arch.warp_idx()
    tile = storage.tile.get_tensor(layout)
    if cutlass.const_expr(twice):
        tile = storage.tile.get_tensor(layout)
    if warp_idx == 0:
        for k in range(8):
            cute.copy(a, a, tile)
    else:
        for k in range(8):
            cute.gemm(a, a, a, a, a)


@cute.jit
def run(layout, a):
    kernel(layout, a, True).launch(grid=(1, 1, 1), block=[128, 1, 1])
