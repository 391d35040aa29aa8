# read-elects: no
# expect-lint-passed: bulk-copy-election
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(gA, sA, bar):
    atom = cute.make_copy_atom(cpasync.CopyBulkG2SOp(), gA.element_type)
    with cute.arch.elect_one():
        cute.copy(atom, gA, sA, mbar_ptr=bar)
