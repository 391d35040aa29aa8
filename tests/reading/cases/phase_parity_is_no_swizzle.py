# The parity of a round is one bit; what permutes columns by the row is a swizzle by hand.
# expect-no-evidence: P6
import cutlass
import cutlass.cute as cute
import cutlass.experimental.primitives as prims


@cute.kernel
def kernel(n: cutlass.Int32):
    bars = cutlass.Array(cutlass.Int64, 8, space=cutlass.AddressSpace.smem)  # expect: H3 allocation
    full_bar = bars
    for k in cutlass.range(n):
        prims.mbarrier_init(full_bar.subview(k), 1)  # expect: D5 barrier
        parity = cutlass.Int32(1) ^ ((k // cutlass.Int32(4)) & cutlass.Int32(1))  # expect-no-evidence: P6
        column = (k // 8) ^ (k & 7)  # expect-evidence: P6
