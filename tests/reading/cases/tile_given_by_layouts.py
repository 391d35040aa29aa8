# A tile of layouts has their sizes; what a helper is handed comes from TMA where all its calls pass that; a part
# of a tile has not the problem's extents; an extent that the run cannot know is not a flag's.
# expect-mode: gC_mnl m divisible
# expect-mode: gD_mnl m undetermined
# expect-mode: mC_mnl m tma-clip
# expect-mode: mC_mnl n divisible
import argparse
import random

import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync
from cutlass.cute.runtime import make_fake_compact_tensor


class Kernel:
    @cute.jit
    def __call__(self, c: cute.Tensor):
        store = cpasync.CopyBulkTensorTileS2GOp()
        rows = cute.make_layout((128, 64), stride=(64, 1))
        atom, tensor = cpasync.make_tiled_tma_atom(store, c, rows, (128, 64))
        epi_tile = (cute.make_layout(128), cute.make_layout(32))
        self.kernel(atom, tensor, epi_tile, c.shape[0]).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, atom: cute.CopyAtom, mC_mnl: cute.Tensor, epi_tile: cutlass.Constexpr, n: cutlass.Int32):
        gC_mnl = cute.local_tile(mC_mnl, (128, 64), (None, None))  # expect: B1 tiling tma=store tile=(128,64)
        self.epilogue(gC_mnl, epi_tile)
        gD_mnl = cute.local_tile(mC_mnl, (n, 64), (None, None))
        self.rows(gD_mnl)

    @cute.jit
    def epilogue(self, gC_mnl: cute.Tensor, epi_tile: cutlass.Constexpr):
        parts = cute.flat_divide(gC_mnl[(None, None, 0, 0)], epi_tile)  # expect: B1 tiling tma=store tile=(128,32) of_tile=true

    @cute.jit
    def rows(self, gD_mnl: cute.Tensor):
        parts = cute.flat_divide(gD_mnl, (32, 64))  # expect: B1 tiling tma=store of_tile=true


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mnkl", type=int, nargs=4, default=(256, 256, 512, 1))
    args = parser.parse_args()
    rows = sum(random.randint(1, 9) * 7 for _ in range(args.mnkl[3]))
    Kernel()(make_fake_compact_tensor(cutlass.Float16, (rows, 256), stride_order=(1, 0)))
