from cutlass.cute.nvgpu import tcgen05
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    atom = cute.make_copy_atom(tcgen05.copy.Ld32x32bOp(tcgen05.copy.Repetition.x1), cutlass.Float32)  # expect-lint: narrow-tensor-memory-load repetition x1
