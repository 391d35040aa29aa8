"""
A GEMM whose docstring states what it takes.

Constraints:
* Mma tiler M must be 64/128 (use_2cta_instrs=False) or 128/256 (use_2cta_instrs=True)
* Mma tiler N must be 32-256, step 32
* Cluster shape M/N must be positive and power of 2, total cluster size <= 16
* Cluster shape M must be multiple of 2 if use_2cta_instrs=True
* The contiguous dimension of A/B/C tensors must be at least 16 bytes aligned,
* A/B tensor must have the same data type
* The problem size of m and n must be divisible by the tile size m & n (128, 96)
* `threads * 2` must be divisible by `vector`, otherwise the result is wrong
* The scale tensor must be in M-major mode
"""
# read-set: mnkl=256,192,68,1
# expect-rule: satisfied mma_tiler_mn[0] = 128 is one of 64, 128
# expect-rule: violated mma_tiler_mn[1] = 48 is none of 32, 64 … 256
# expect-rule: violated cluster_shape_mn[1] = 6 is no power of 2
# expect-rule: violated cluster_shape_mn[0] * cluster_shape_mn[1] = 24 > 16
# expect-rule: satisfied does not apply: use_2cta_instrs is not true
# expect-rule: violated mnkl[2] = 68 of 16 bits are 136 bytes, no multiple of 16
# expect-rule: satisfied one input, ab_dtype, gives both
# expect-rule: satisfied mnkl[0] = 256 = 2 * 128; mnkl[1] = 192 = 2 * 96
# expect-rule: undetermined threads
# expect-rule: not-understood
import argparse
import os

import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(a, threads, vector):
    cute.copy(a, a, a)


def run(mnkl, ab_dtype, c_dtype, a_major, b_major, c_major, mma_tiler_mn, cluster_shape_mn, use_2cta_instrs):
    threads = int(os.environ["THREADS"])
    kernel(mnkl, threads, 4).launch(grid=(1, 1, 1), block=[threads, 1, 1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mnkl", type=lambda s: tuple(int(x) for x in s.split(",")), default=(256, 256, 64, 1))
    args = parser.parse_args()
    run(args.mnkl, cutlass.Float16, cutlass.Float16, "k", "k", "n", (128, 48), (4, 6), False)
