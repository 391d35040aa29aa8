# 10 rows and a tile of 16, moved by TMA: what lies beyond the tensor comes as zeros.
# expect-mode: mA_mk m tma-zero-fill
# expect-mode: mA_mk k divisible
# expect-lint-passed: unguarded-mode
import argparse

import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(atom: cute.CopyAtom, mA_mk: cute.Tensor, sA: cute.Tensor, bar: cute.Pointer):
    gA = cute.local_tile(mA_mk, (16, 32), (0, 0))
    cute.copy(atom, gA, sA, tma_bar_ptr=bar)


@cute.jit
def host(mA: cute.Tensor, sA: cute.Tensor, bar: cute.Pointer):
    layout = cute.make_layout((16, 32), stride=(32, 1))
    atom, rows = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), mA, layout, (16, 32))
    kernel(atom, rows, sA, bar).launch(grid=[1, 1, 1], block=[32, 1, 1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mnk", type=int, nargs=3, default=[10, 64, 128])
