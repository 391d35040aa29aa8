# The number of stages is an argument: a ring that its default leaves at one stage.
# expect-pattern: P1 present inactive
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def __init__(self, num_stages: int = 1):
        self.num_stages = num_stages

    @cute.kernel
    def kernel(self, tma_atom_a, gA, sA):
        whole = pipeline.PipelineTmaAsync.create(num_stages=1)  # expect-no-evidence: P1
        ring = pipeline.PipelineTmaAsync.create(num_stages=self.num_stages)  # expect-evidence: P1
        for k in range(8):
            ring.producer_acquire(k)
            cute.copy(tma_atom_a, gA, sA, tma_bar_ptr=ring.producer_get_barrier(k))
