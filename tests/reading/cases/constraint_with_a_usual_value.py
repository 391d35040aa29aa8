"""
A GEMM that promotes its accumulators.

Constraints:
* promotion_interval must be a multiple of num_k_blocks per k_tile (typically 4)
"""
# expect-rule: violated promotion_interval = 6 leaves 2 over 4
import cutlass.cute as cute

promotion_interval = 6
num_k_blocks = 4
steps = promotion_interval // num_k_blocks


@cute.kernel
def kernel(a):
    a[0] = steps
