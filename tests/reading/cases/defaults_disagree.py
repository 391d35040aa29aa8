"""Four places state a default, and only the first counts."""
# expect-default: tile --tile=(128,128) Gemm()=(256,256) run()=(256,256)
# expect-default: two_cta --two_cta=false run()=true
# expect-default: rows run()=512 __main__=1024
# expect-no-default: dtype
# expect-no-default: stages
# expect-no-default: a_dtype
import argparse

import cutlass
import cutlass.cute as cute


class Gemm:
    def __init__(self, tile=(256, 256), two_cta=None, stages=4):
        self.tile = tile

    @cute.jit
    def __call__(self, a):
        self.kernel(a).launch(grid=(1, 1, 1), block=[128, 1, 1])

    @cute.kernel
    def kernel(self, a):
        cute.copy(a, a, a)


def tensor(dtype=cutlass.Float16):
    return dtype


def run(a_dtype, c_dtype, tile=(256, 256), two_cta=True, stages=4, rows=512):
    a = tensor(a_dtype)
    c = tensor(c_dtype)  # one helper for both: not one input
    Gemm(tile, two_cta, stages)(a)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tile", type=int, nargs=2, default=[128, 128])
    parser.add_argument("--two_cta", action="store_true")
    parser.add_argument("--stages", type=int, default=4)
    parser.add_argument("--a_dtype", type=cutlass.dtype, default=cutlass.Float16)
    parser.add_argument("--c_dtype", type=cutlass.dtype, default=cutlass.Float32)
    args = parser.parse_args()
    run(args.a_dtype, args.c_dtype, tuple(args.tile), two_cta=args.two_cta, stages=args.stages, rows=1024)
