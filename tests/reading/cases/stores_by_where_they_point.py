# The destination of a store tells by where it lies, not only by its name.
# expect-pattern: P8 present default_active
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor


@cute.kernel
def kernel(out: cute.Tensor, layout: cute.Layout):
    tidx, _, _ = cute.arch.thread_idx()
    store = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), out.element_type)
    mine = out[None, tidx]
    values = cute.make_fragment_like(mine)
    cute.copy(store, values, mine)  # expect-evidence: P8


@cute.jit
def launch(out: cute.Tensor):
    kernel(out, out.layout).launch(grid=(1, 1, 1), block=(32, 1, 1))


if __name__ == "__main__":
    launch(make_fake_compact_tensor(cutlass.Float16, (32, 32), stride_order=(1, 0)))
