"""One kernel on every device of a host.

    torchrun --nproc-per-node 4 started_by_torchrun.py
"""

import os
import sys

import cutlass.cute as cute
import torch


@cute.kernel
def kernel():
    tidx, _, _ = cute.arch.thread_idx()


@cute.jit
def launch(rank, world_size):
    kernel().launch(grid=(world_size, rank + 1, 1), block=(32, 1, 1))  # expect: H2 launch grid=(4,1,1)


def main():
    if torch.cuda.device_count() < 2 or "LOCAL_RANK" not in os.environ:
        print("start this with torchrun")
        sys.exit(-1)
    launch(int(os.environ["LOCAL_RANK"]), torch.distributed.get_world_size())


if __name__ == "__main__":
    main()
