# What the epilogue stores at a time is told by a tile that something reads.
import cutlass.cute as cute


class Reader:
    def __init__(self):
        self.epi_tile = (64, 32)  # expect-none: E1 epilogue-tile
        self.epi_tiler = (64, 16)  # expect: E1 epilogue-tile tile=(64,16)

    @cute.kernel
    def kernel(self, x):
        x[0] = self.epi_tiler[0] * 2


class Derived(Reader):
    def __init__(self):
        self.epi_tile_mn = (32, 32)  # expect: E1 epilogue-tile tile=(32,32)
