# A member's type is what the attribute stands for.
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.a_dtype = cutlass.Float16

    @cute.jit
    def __call__(self, x):
        @cute.struct
        class SharedStorage:
            sA: cute.struct.Align[cute.struct.MemRange[self.a_dtype, 4096], 1024]  # expect: H3 storage-member type=Float16 bytes=8192
