# Election and the test whether a tile is valid are no boundary handling.
# expect-pattern: P9 absent
import cutlass.cute as cute


@cute.kernel
def kernel(x, work_tile):
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        x[0] = 1
    if work_tile.is_valid_tile:
        x[1] = 1
