# Loads into a pipeline of one stage fill no ring: those of the ring are the evidence.
# expect-pattern: P1 present default_active stages=3
import cutlass.cute as cute
import cutlass.pipeline as pipeline


@cute.kernel
def kernel(tma_atom_q, tma_atom_k, gQ, sQ, gK, sK):
    whole = pipeline.PipelineTmaUmma.create(num_stages=1)
    ring = pipeline.PipelineTmaUmma.create(num_stages=3)  # expect-evidence: P1
    whole.producer_acquire(0)
    cute.copy(tma_atom_q, gQ, sQ, tma_bar_ptr=whole.producer_get_barrier(0))  # expect-no-evidence: P1
    ring.producer_acquire(0)
    cute.copy(tma_atom_k, gK, sK, tma_bar_ptr=ring.producer_get_barrier(0))  # expect-evidence: P1
