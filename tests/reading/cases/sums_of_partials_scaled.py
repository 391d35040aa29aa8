# Partial results of a split are added with the scales that another step found: no maximum moves, no block of K has
# a scale of its own.
# expect-pattern: P4 absent
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor, scale: cute.Tensor, out: cute.Tensor):
    acc = cute.make_rmem_tensor((4,), cutlass.Float32)
    acc.fill(0.0)
    for split in cutlass.range(8):
        acc[0] += scale[split] * a[0, split]
    out[0] = acc[0]
