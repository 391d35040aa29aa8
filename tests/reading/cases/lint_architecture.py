# tcgen05 on a chip of the 12x family.
# read-arch: sm_121a
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05


@cute.jit
def host(a):
    op = tcgen05.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (128, 256, 16), tcgen05.CtaGroup.ONE)  # expect-lint: architecture sm_121a has no such instruction
