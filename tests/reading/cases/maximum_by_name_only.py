# A name that holds "max" is no maximum, and a maximum taken once over known values rescales nothing.
# expect-pattern: P4 absent
import cutlass.cute as cute


def get_n_block_min_max(n):
    return 0, n


@cute.kernel
def combine(tiled_mma, acc, a, lse, out, scale_softmax_log2):
    n_block_min, n_block_max = get_n_block_min_max(8)
    tiles = max(0, n_block_max)
    lse_max = -100.0
    for i in range(8):
        lse_max = cute.arch.fmax(lse_max, lse[i])
    sum_lse = 0.0
    for i in range(8):
        sum_lse += cute.math.exp2(scale_softmax_log2 * lse[i] - lse_max)
    cute.gemm(tiled_mma, acc, a, a, acc)
    out[0] = sum_lse
