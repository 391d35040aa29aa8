# The loop is there, the default flags leave it to one tile per CTA.
# expect-pattern: P3 present inactive condition=is_persistent
import argparse

import cutlass.cute as cute


class Kernel:
    def __init__(self, is_persistent):
        self.is_persistent = is_persistent

    @cute.kernel
    def kernel(self, sched):
        work_tile = sched.initial_work_tile_info()
        while work_tile.is_valid_tile:
            work_tile = sched.get_current_work()


def run(is_persistent):
    Kernel(is_persistent)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--is_persistent", action="store_true")
    args = parser.parse_args()
    run(args.is_persistent)
