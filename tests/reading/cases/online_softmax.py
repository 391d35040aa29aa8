# expect-pattern: P4 present default_active kind=online_softmax
import cutlass.cute as cute


@cute.kernel
def kernel(tiled_mma, acc, q, k, v, row_max, row_sum):
    for j in range(8):
        cute.gemm(tiled_mma, acc, q, k[j], acc)
        row_max_new = cute.arch.fmax(row_max, acc.load().reduce(cute.ReductionOp.MAX))
        scale = cute.math.exp2(row_max - row_max_new)
        row_sum = row_sum * scale
        row_max = row_max_new
