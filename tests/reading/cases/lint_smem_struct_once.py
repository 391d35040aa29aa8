# A struct that is allocated counts once, however its size is known: 131,072 bytes fit 227 KiB.
# read-arch: sm_90a
# expect-lint-passed: smem-over-limit
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


class Kernel:
    @cute.jit
    def __call__(self):
        @cute.struct
        class SharedStorage:
            tile: cute.struct.MemRange[cutlass.Float32, 32768]

        self.shared_storage = SharedStorage
        self.kernel().launch(grid=[1, 1, 1], block=[32, 1, 1])

    @cute.kernel
    def kernel(self):
        storage = utils.SmemAllocator().allocate(self.shared_storage)


if __name__ == "__main__":
    Kernel()()
