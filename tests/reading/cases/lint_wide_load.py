# expect-lint-passed: narrow-tensor-memory-load
from cutlass.cute.nvgpu import tcgen05
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    atom = cute.make_copy_atom(tcgen05.copy.Ld32x32bOp(tcgen05.copy.Repetition.x32), cutlass.Float32)
