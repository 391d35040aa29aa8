"""
A GEMM that stores by TMA or by threads.

Constraints:
* OOB tiles are not allowed when TMA store is disabled
"""
# read-set: mnkl=250,256,64,1
# expect-rule: violated mnkl[0] = 250 leaves 122 over 128; mnkl[1] = 256 = 2 * 128; use_tma_store=True lifts it
import argparse

import cutlass.cute as cute


@cute.kernel
def kernel(a):
    cute.copy(a, a, a)


def run(mnkl, mma_tiler_mn, use_tma_store):
    kernel(mnkl).launch(grid=(1, 1, 1), block=[128, 1, 1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mnkl", type=lambda s: tuple(int(x) for x in s.split(",")), default=(256, 256, 64, 1))
    args = parser.parse_args()
    run(args.mnkl, (128, 128), False)
