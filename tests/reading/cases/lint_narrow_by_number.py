# A repetition may be told as a number; a store is no load.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05


@cute.kernel
def kernel(x):
    narrow = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition(1)), cutlass.Float32)  # expect-lint: narrow-tensor-memory-load repetition x1
    store = cute.make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition(1)), cutlass.Float32)  # expect: D4 tmem-copy direction=store repeat=1
