# Fragments that a tiled MMA makes are registers, though the MMA is an argument of the kernel.
# expect-pattern: P8 absent
import cutlass.cute as cute


@cute.kernel
def kernel(x: cute.Tensor, tiled_mma: cute.TiledMma):
    tidx, _, _ = cute.arch.thread_idx()
    part = tiled_mma.make_fragment_A(x)
    part[0] = x[0]
    part.store(x.load())
