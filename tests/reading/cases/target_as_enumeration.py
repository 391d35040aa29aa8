"""The target that the DSL would compile for, as its own enumeration: compared, asked for its family."""
# with: dsl-sources
import cutlass
import cutlass.cute as cute
from cutlass.base_dsl.arch import Arch
from cutlass.base_dsl.dsl import BaseDSL
from cutlass.cute.nvgpu import warpgroup


@cute.kernel
def kernel(x: cute.Tensor):
    x[0] = 1


@cute.jit
def run(x: cute.Tensor, op: warpgroup.MmaF16BF16Op):
    arch = BaseDSL._get_dsl().get_arch_enum()
    threads = 384 if arch >= Arch.sm_90 else 128
    kernel(x).launch(  # expect: H2 launch grid=(9,2,1) threads=384
        grid=(arch.major, 2 if arch.is_family_of(Arch.sm_90) else 1, 1), block=(threads, 1, 1)
    )
