# What is cut from a tile has the tile's extents, whatever the tensor's are: nothing sticks out of the tensor.
# expect-mode: gA 0 divisible
# expect-mode: gA 1 divisible
# expect-mode: gB_slice 0 divisible
# expect-mode: gC 0 undetermined
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor, n: cutlass.Int32):
    bidx, _, _ = cute.arch.block_idx()
    gA = cute.local_tile(mA, (128, 64), (bidx, None))
    gA_mma = cute.flat_divide(gA, (32, 64))  # expect: B1 tiling extents=(128,64) of_tile=true
    gB = cute.local_tile(mB, (128, 64, 32), (bidx, None, None), proj=(1, None, 1))
    gB_slice = gB[(None, None, bidx)]
    parts = cute.zipped_divide(gB_slice, (64, 32))  # expect: B1 tiling extents=(128,32) of_tile=true
    gC = cute.local_tile(mC, (48, 64), (bidx, None))
    gC_part = cute.zipped_divide(gC, (32, 64))  # expect: B1 tiling extents=(48,64) of_tile=true


@cute.jit
def host(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor, n: cutlass.Int32):
    kernel(mA, mB, mC, n).launch(grid=(1, 1, 1), block=(128, 1, 1))
