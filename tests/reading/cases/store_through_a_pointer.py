# A pointer computed from what the kernel is handed points to global memory; one into shared memory does not.
# expect-pattern: P8 present kind=direct_store
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(dst: cute.Tensor, n: cutlass.Int32):
    buffer = cutlass.Array(cutlass.Float16, 128, space=cutlass.AddressSpace.smem)
    out = dst.iterator.raw_ptr()
    shared = buffer.data_ptr()
    for i in range(n):
        (shared + i).store(1.0)  # expect-no-evidence: P8
        (out + i).store((shared + i).load())  # expect: E1 store type=direct_store
