# expect-lint-passed: narrow-tensor-memory-load
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05


@cute.kernel
def kernel(x):
    wide = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition(8)), cutlass.Float32)  # expect: D4 tmem-copy direction=load repeat=8
