# expect-pattern: P1 absent
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.kernel
    def kernel(self, tma_atom_a, gA, sA):
        whole = pipeline.PipelineTmaAsync.create(num_stages=1)
        whole.producer_acquire(0)
        cute.copy(tma_atom_a, gA, sA, tma_bar_ptr=whole.producer_get_barrier(0))
