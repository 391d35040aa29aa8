# What a narrow load costs: 256 columns, one or eight of them at a time, the latter 16 of 32 lanes.
from cutlass.cute.nvgpu import tcgen05
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.cta_tile_shape_mnk = (128, 256, 64)

    @cute.kernel
    def kernel(self, x):
        one = cute.make_copy_atom(tcgen05.copy.Ld32x32bOp(), cutlass.Float32)  # expect-lint: narrow-tensor-memory-load brings 1 column of 32 bits a load: a tile of 256 columns takes 256 loads a thread
        eight = cute.make_copy_atom(tcgen05.copy.Ld16x256bOp(tcgen05.copy.Repetition.x1), cutlass.Float32)  # expect-lint: narrow-tensor-memory-load brings 8 columns of 32 bits a load: a tile of 256 columns takes 64 loads a thread
        wide = cute.make_copy_atom(tcgen05.copy.Ld32x32bOp(repeat=tcgen05.copy.Repetition.x32), cutlass.Float32)  # expect: D4 tmem-copy repeat=x32 columns_each=1 lanes=32
        back = cute.make_copy_atom(tcgen05.copy.St32x32bOp(tcgen05.copy.Repetition.x1), cutlass.Float32)
