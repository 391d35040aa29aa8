# expect-mode: mA 0 predicated
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(gA: cute.Tensor, predicate: cute.Tensor, copy: cute.TiledCopy, registers: cute.Tensor):
    tAgA = copy.get_slice(0).partition_S(gA[None, 0])
    cute.copy(copy, tAgA, registers, pred=predicate)  # expect: B1 predicated-copy tensors=(gA,mA,registers)


@cute.jit
def host(mA: cute.Tensor, predicate: cute.Tensor, copy: cute.TiledCopy, registers: cute.Tensor):
    gA = cute.zipped_divide(mA, (16, 128))  # expect: B1 tiling origin=mA
    kernel(gA, predicate, copy, registers).launch(grid=(1, 1, 1), block=(128, 1, 1))
