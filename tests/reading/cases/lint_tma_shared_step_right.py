# Rows stay rows; with a swizzle a row of 256 bytes is two boxes.
# expect-lint-passed: tma-shared-step
# expect-lint-passed: tma-box
import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.nvgpu import cpasync, warpgroup
from cutlass.cute.nvgpu.warpgroup import SmemLayoutAtomKind


@cute.jit
def host(mA: cute.Tensor):
    op = cpasync.CopyBulkTensorTileG2SOp()
    plain = cute.make_layout((64, 32), stride=(32, 1))
    a, ta = cpasync.make_tiled_tma_atom(op, mA, plain, (64, 32))  # expect: H1 tma-descriptor box=(32,64) boxes=1
    atom = warpgroup.make_smem_layout_atom(SmemLayoutAtomKind.K_SW128, cutlass.Float16)
    swizzled = cute.tile_to_shape(atom, (64, 128), order=(0, 1))
    b, tb = cpasync.make_tiled_tma_atom(op, mA, swizzled, (64, 128))  # expect: H1 tma-descriptor box=(64,64) boxes=2 swizzle=128B type=Float16


host(torch.empty((256, 128), dtype=torch.float16))
