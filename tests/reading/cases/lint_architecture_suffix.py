# The right chip without the suffix that the instruction needs.
# read-arch: sm_90
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import warpgroup


@cute.jit
def host(a):
    op = warpgroup.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 256, 16))  # expect-lint: architecture compile for sm_90a
