# Ten tiles in rounds of four stages: the last round does two that are not there. With a guard, or a whole number of
# rounds, it does not.
import cutlass
import cutlass.cute as cute

tiles, stages = 10, 4


@cute.kernel
def kernel(gA: cute.Tensor):
    for k in range(0, tiles, stages):  # expect-lint: steps-beyond-end the last round of the loop over k does 2 steps beyond the end, 10
        for s in cutlass.range_constexpr(stages):
            gA[k + s] = 0


@cute.kernel
def guarded(gA: cute.Tensor):
    for k in range(0, tiles, stages):
        for s in cutlass.range_constexpr(stages):
            if k + s < tiles:
                gA[k + s] = 0
# expect-remedy: steps-beyond-end more than one batch
