# The other side of it: the kernel waits for the one ahead, and its launch has no attribute.
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(tma_atom, gA, sA, bar):
    cute.arch.griddepcontrol_wait()  # expect-lint: dependent-launch-attribute its launch does not let it start early
    cute.copy(tma_atom, gA, sA, tma_bar_ptr=bar)


@cute.jit
def host(tma_atom, gA, sA, bar):
    kernel(tma_atom, gA, sA, bar).launch(grid=[1, 1, 1], block=[32, 1, 1])
# expect-remedy: dependent-launch-attribute both sides opt in
