# What goes out through shared memory and a TMA store is no direct store; the size of its tile is no store, and
# what is staged for a second matrix multiply is no epilogue.
# expect-pattern: P8 present default_active kind=smem_tma_store
# expect-pattern: P10 present default_active store_drain=true producer_tail=true
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass.cute.nvgpu import cpasync


class Kernel:
    def __init__(self):
        self.epi_tile = (64, 32)  # expect-no-evidence: P8
        self.use_direct = False

    @cute.kernel
    def kernel(self, tma_atom_a, tma_atom_c, tiled_mma, acc, gA, sA, tRS_rC, tRS_sC, bSG_sC, bSG_gC, tCgC, rP, sP):
        ring = pipeline.PipelineTmaAsync.create(num_stages=4)
        store_pipeline = pipeline.PipelineTmaStore.create(num_stages=2)
        for k in range(8):
            ring.producer_acquire(k)
            cute.copy(tma_atom_a, gA, sA, tma_bar_ptr=ring.producer_get_barrier(k))  # expect-no-evidence: P8
            cute.copy(tiled_mma, rP, sP)  # expect-no-evidence: P8
            cute.gemm(tiled_mma, acc, sA, sP, acc)
        for i in range(4):
            cute.copy(tiled_mma, tRS_rC, tRS_sC)  # expect-evidence: P8
            cute.arch.fence_proxy("async.shared", space="cta")
            cute.copy(tma_atom_c, bSG_sC, bSG_gC)  # expect-first: P8
            store_pipeline.producer_commit()
        if cutlass.const_expr(self.use_direct):
            cute.copy(tiled_mma, tRS_rC, tCgC)  # expect-no-evidence: P8
        ring.producer_tail(8)  # expect-evidence: P10
        store_pipeline.producer_tail()  # expect-evidence: P10
