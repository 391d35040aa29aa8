"""A scale of a softmax that two names share is no step of a recurrence."""
# expect-pattern: P4 absent
import cutlass.cute as cute


@cute.kernel
def kernel(utils, a):
    softmax_scale_log2, softmax_scale = utils.compute_softmax_scale(a)
    for block in range(4):
        cute.gemm(a, a, a, a, a)
