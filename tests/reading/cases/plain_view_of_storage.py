# A view of storage by a layout without a swizzle has its line too.
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.rows = cute.make_ordered_layout((8, 64, 4), order=(1, 0, 2))

    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, storage):
        sO = storage.sO.get_tensor(self.rows)  # expect: D6 shared-layout swizzle=none


Kernel()(None)
