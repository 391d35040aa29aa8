"""A base class and copy helpers that other files use: see what_a_base_does.py."""
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


def copy(source, destination, *, pred=None, is_async=False):
    op = cpasync.CopyG2SOp() if is_async else cute.nvgpu.CopyUniversalOp()
    atom = cute.make_copy_atom(op, source.element_type)
    cute.copy(atom, source, destination, pred=pred)


class Reduction:
    def _allocate_buffer(self, smem):
        return smem.allocate_tensor(cutlass.Float32, cute.make_layout(32), 16)

    @cute.jit
    def _join_cluster(self):
        cute.arch.mbarrier_init_fence()
        cute.arch.cluster_arrive_relaxed()  # expect: D5 barrier
