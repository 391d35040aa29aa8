# What held a score is masked; what is written for the first time is not.
# expect-pattern: P9 present default_active
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(mma: cute.TiledMma, a: cute.Tensor, gX: cute.Tensor, valid: cutlass.Boolean):
    scores = cute.make_rmem_tensor((4,), cutlass.Float32)
    running = cute.make_rmem_tensor((4,), cutlass.Float32)
    running[0] = -cutlass.Float32.inf  # expect-no-evidence: P9
    cute.gemm(mma, scores, a, a, scores)
    for i in cutlass.range_constexpr(4):
        scores[i] = -cutlass.Float32.inf  # expect: B1 mask
    loaded = cute.make_rmem_tensor((4,), cutlass.Float32)
    if valid:
        cute.autovec_copy(gX[None, 0], loaded[None, 0])
    else:
        loaded[None, 0].fill(-cutlass.Float32.inf)  # expect: B1 mask
