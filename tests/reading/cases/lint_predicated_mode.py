# expect-mode: mA_mk m predicated
# expect-lint-passed: unguarded-mode
import argparse

import cutlass.cute as cute


@cute.kernel
def kernel(atom, mA_mk, coordinate, rA, inside):
    gA = cute.local_tile(mA_mk, (16, 32), coordinate)
    cute.copy(atom, gA, rA, pred=inside)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mnk", type=int, nargs=3, default=[10, 64, 128])
