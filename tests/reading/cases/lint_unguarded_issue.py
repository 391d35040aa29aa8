# The loop runs on for `stages` rounds to drain the ring and loads all the same.
import cutlass.cute as cute


@cute.kernel
def kernel(tma_atom, gA, sA, bar, tiles_left, stages):
    while tiles_left > -stages:
        cute.copy(tma_atom, gA[tiles_left], sA[0], tma_bar_ptr=bar)  # expect-lint: unguarded-issue the loop runs while tiles_left > -stages
        tiles_left -= 1
