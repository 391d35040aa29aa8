# Waiting on the ring of accumulators or on a pipeline of stores is no TMA load's ring; both sides of the load's
# ring are.
# expect-pattern: P1 present default_active stages=4
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.kernel
    def kernel(self, tma_atom_a, gA, sA):
        load_ring = pipeline.PipelineTmaUmma.create(num_stages=4)  # expect-first: P1
        acc_ring = pipeline.PipelineUmmaAsync.create(num_stages=2)  # expect-no-evidence: P1
        stores = pipeline.PipelineTmaStore.create(num_stages=2)  # expect-no-evidence: P1
        for k in range(8):
            load_ring.producer_acquire(k)  # expect-evidence: P1
            cute.copy(tma_atom_a, gA, sA, tma_bar_ptr=load_ring.producer_get_barrier(k))  # expect-evidence: P1
            acc_ring.producer_acquire(k)  # expect-no-evidence: P1
        for k in range(8):
            load_ring.consumer_wait(k)  # expect-evidence: P1
            load_ring.consumer_release(k)  # expect-evidence: P1
            acc_ring.consumer_wait(k)  # expect-no-evidence: P1
            stores.producer_acquire()  # expect-no-evidence: P1
