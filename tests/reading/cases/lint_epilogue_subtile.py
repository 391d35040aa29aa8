# A tile of 208 columns and an epilogue that takes 32 at a time.
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.cta_tile_shape_mnk = (128, 208, 64)
        self.epi_tile = (64, 32)  # expect-lint: epilogue-subtile mode 1: 32 of self.epi_tile does not divide 208 of self.cta_tile_shape_mnk; 16 does

    @cute.kernel
    def kernel(self, x):
        x[self.epi_tile[0] - 64] = 1
# expect-remedy: epilogue-subtile greatest common divisor
