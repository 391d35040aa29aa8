# expect-lint-passed: steps-beyond-end
# expect-lint-passed: dropped-tail
import cutlass
import cutlass.cute as cute

K, tiles, stages = 256, 12, 4


@cute.kernel
def kernel(gA: cute.Tensor):
    for k in range(0, tiles, stages):  # expect: B1 stepped-loop end=12 step=4 guarded=false
        for s in cutlass.range_constexpr(stages):
            gA[k + s] = 0
    for k in range(K // 64):
        gA[k] = 1
    for k in range(0, tiles, 5):
        gA[k] = 2
