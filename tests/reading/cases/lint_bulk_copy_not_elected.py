# Every other wheel leaves it to the caller.
# read-elects: no
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(gA, sA, bar):
    atom = cute.make_copy_atom(cpasync.CopyBulkG2SOp(), gA.element_type)
    cute.copy(atom, gA, sA, mbar_ptr=bar)  # expect-lint: bulk-copy-election 32 lanes issue this copy
