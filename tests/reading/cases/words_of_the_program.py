"""Words that the program itself hands to its parser are not the defaults."""
import argparse

import cutlass.cute as cute


@cute.kernel
def kernel():
    pass


@cute.jit
def host(m, n):
    kernel().launch(grid=(m, 1, 1), block=(32, 1, 1))  # expect: H2 launch grid=(5,1,1)
    kernel().launch(grid=(n, 1, 1), block=(32, 1, 1))  # expect: H2 launch grid=(64,1,1)


parser = argparse.ArgumentParser()
parser.add_argument("--m", type=int, default=64)
host(parser.parse_args(["--m", "5"]).m, parser.parse_args([]).m)
