# expect-lint-passed: unguarded-issue
import cutlass.cute as cute


@cute.kernel
def kernel(tma_atom, gA, sA, bar, tiles_left, stages):
    while tiles_left > -stages:
        if tiles_left > 0:
            cute.copy(tma_atom, gA[tiles_left], sA[0], tma_bar_ptr=bar)
        tiles_left -= 1
