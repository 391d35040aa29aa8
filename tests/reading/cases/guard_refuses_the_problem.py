"""A guard of the program refuses what was asked for: the reading says so instead of numbers."""
# read-set: m=100
# expect-give-up: the program ends with an error: m = 100 must be a multiple of 128
import argparse

import cutlass.cute as cute


@cute.kernel
def kernel(a):
    cute.copy(a, a, a)


def run(m):
    if m % 128 != 0:
        raise ValueError(f"m = {m} must be a multiple of 128")
    kernel(m).launch(grid=(m // 128, 1, 1), block=[128, 1, 1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--m", type=int, default=256)
    run(parser.parse_args().m)
