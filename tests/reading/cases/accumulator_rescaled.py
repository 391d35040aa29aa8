# The factor has a name of its own, and the accumulator is multiplied by it elsewhere. A reference on the host
# is no kernel.
# expect-pattern: P4 present default_active kind=online_softmax
# expect-pattern: P5 present acc_rescale=true
import torch
import cutlass.cute as cute


def reference(scores, old_max):
    row_max = torch.max(scores)  # expect-no-evidence: P4
    scale = torch.exp2(old_max - row_max)  # expect-no-evidence: P4
    return scores * scale  # expect-no-evidence: P4


@cute.jit
def rescale(acc, correction):
    for i in range(4):
        acc[i] = acc[i] * correction  # expect-first: P4


@cute.kernel
def kernel(tiled_mma, acc, q, k, row_max, row_sum):
    op = cute.nvgpu.warp.MmaF16BF16Op(q, k, (16, 8, 16))
    for j in range(8):
        cute.gemm(tiled_mma, acc, q, k[j], acc)
        old_max = row_max
        row_max = cute.arch.fmax(row_max, acc[0])  # expect-evidence: P4
        correction = cute.math.exp2((old_max - row_max) * 1.44)  # expect-evidence: P4
        row_sum = row_sum * correction  # expect-evidence: P4
        rescale(acc, correction)
