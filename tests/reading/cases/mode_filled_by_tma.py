# 10 rows and a tile of 16, moved by TMA: what lies beyond the tensor comes as zeros.
# expect-mode: mA_mk m tma-zero-fill
# expect-mode: mA_mk k divisible
# expect-lint-passed: unguarded-mode
import argparse

import cutlass.cute as cute


@cute.kernel
def kernel(tma_atom_a, mA_mk, coordinate, sA, bar):
    gA = cute.local_tile(mA_mk, (16, 32), coordinate)
    cute.copy(tma_atom_a, gA, sA, tma_bar_ptr=bar)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mnk", type=int, nargs=3, default=[10, 64, 128])
