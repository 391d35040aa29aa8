# A plain row-major buffer given to wgmma: a matrix descriptor cannot say it. Rows of 16 bytes, eight to an atom,
# it can say without a swizzle.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import OperandMajorMode, warpgroup


@cute.kernel
def kernel(tiled_mma: cute.TiledMma):
    smem = utils.SmemAllocator()
    plain = cute.make_ordered_layout((64, 64), order=(1, 0))
    sA = smem.allocate_tensor(cutlass.Float16, plain, 128)
    rows = cute.make_layout((64, (8, 8)), stride=(8, (1, 512)))
    sB = smem.allocate_tensor(cutlass.Float16, rows, 128)
    part = tiled_mma.get_slice(0)
    tCrA = tiled_mma.make_fragment_A(part.partition_A(sA))  # expect-lint: operand-layout the operand of tCrA
    tCrB = tiled_mma.make_fragment_B(part.partition_B(sB))  # expect: D4 operand-fragment descriptor_atom=K_INTER
    cute.gemm(tiled_mma, tCrA, tCrA, tCrB, tCrA)


@cute.jit
def host():
    major = OperandMajorMode.K
    op = warpgroup.MmaF16BF16Op(
        cutlass.Float16, cutlass.Float32, (64, 64, 16), warpgroup.OperandSource.SMEM, major, major
    )
    kernel(cute.make_tiled_mma(op)).launch(grid=[1, 1, 1], block=[128, 1, 1])


host()
# expect-remedy: operand-layout SW128, SW64, SW32 and INTER
