# Without the wheel's release nothing is claimed.
# expect-lint-undecided: bulk-copy-election wheel
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(gA, sA, bar):
    atom = cute.make_copy_atom(cpasync.CopyBulkG2SOp(), gA.element_type)
    cute.copy(atom, gA, sA, mbar_ptr=bar)
