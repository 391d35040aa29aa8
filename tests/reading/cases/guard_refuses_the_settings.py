"""A guard refuses the settings that were asked for: nothing is launched, and no constructor's default stands in for them."""
# read-set: num_threads=96
# expect-give-up: the program ends with an error: 96 threads do not divide 256 rows
import argparse

import cutlass.cute as cute


class Kernel:
    def __init__(self, num_threads=128):
        self.num_threads = num_threads  # expect: H2 block input=?

    @cute.jit
    def __call__(self, a):
        self.kernel(a).launch(
            grid=(1, 1, 1),
            block=[self.num_threads, 1, 1],  # expect: H2 block block=?
        )

    @cute.kernel
    def kernel(self, a):
        cute.copy(a, a, a)


def run(num_threads):
    if 256 % num_threads != 0:
        raise ValueError(f"{num_threads} threads do not divide 256 rows")
    Kernel(num_threads)(None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_threads", type=int, default=128)
    run(parser.parse_args().num_threads)
