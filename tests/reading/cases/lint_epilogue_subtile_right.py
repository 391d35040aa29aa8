# expect-lint-passed: epilogue-subtile
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.cta_tile_shape_mnk = (128, 208, 64)
        self.epi_tile = (64, 16)

    @cute.kernel
    def kernel(self, x):
        x[self.epi_tile[0] - 64] = 1
