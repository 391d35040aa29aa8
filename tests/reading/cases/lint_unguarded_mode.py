# 10 rows and a tile of 16: the copy reads 6 rows that are not there. The 128 columns are whole tiles.
# expect-mode: mA_mk m unguarded
# expect-mode: mA_mk k divisible
import argparse

import cutlass.cute as cute


@cute.kernel
def kernel(atom, mA_mk, coordinate, rA):
    gA = cute.local_tile(mA_mk, (16, 32), coordinate)  # expect-lint: unguarded-mode 10 % 16 = 10
    cute.copy(atom, gA, rA)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mnk", type=int, nargs=3, default=[10, 64, 128])
