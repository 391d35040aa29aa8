# The type of `tile` is for the caller to say: where it lies is known by its alignment all the same, its bytes are not.
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self, dtype):
        self.dtype = dtype

    @cute.jit
    def __call__(self, a: cute.Tensor):
        @cute.struct
        class SharedStorage:  # expect: H3 storage bytes=?
            flags: cute.struct.MemRange[cutlass.Int32, 8]  # expect: H3 storage-member bytes=32 offset=0
            tile: cute.struct.Align[cute.struct.MemRange[self.dtype, 64], 128]  # expect: H3 storage-member bytes=? offset=128

        self.storage = SharedStorage
        self.kernel().launch(grid=[1, 1, 1], block=[128, 1, 1])

    @cute.kernel
    def kernel(self):
        storage = cutlass.utils.SmemAllocator().allocate(self.storage)
