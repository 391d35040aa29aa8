import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(mA: cute.Tensor, mB: cute.Tensor, copy: cute.TiledCopy, pA: cute.Tensor, sA: cute.Tensor, row: cutlass.Int32):
    gA = cute.local_tile(mA, (128, 64), (0, None))  # expect: B1 tiling origin=mA
    gB = cute.local_tile(mB, (128, 64), (0, None))
    tAgA = copy.get_slice(0).partition_S(gA)
    cute.copy(copy, tAgA[None, 0], sA, pred=pA)  # expect: B1 predicated-copy tensors=(mA,sA)
