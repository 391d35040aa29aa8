# Roles are counted once each; the warp that a role elects, and a prefetch before the roles, are none.
# expect-pattern: P2 present default_active roles=2
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def __init__(self):
        self.num_mma_warps = 4
        self.load_warp_id = 4

    @cute.kernel
    def kernel(self, tma_atom_a, tma_atom_c, gA, sA, sC, gC, tiled_mma, acc):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        ring = pipeline.PipelineTmaAsync.create(num_stages=4)
        if warp_idx == 0:  # expect-no-evidence: P2
            cute.nvgpu.cpasync.prefetch_descriptor(tma_atom_a)
        if warp_idx < self.num_mma_warps:  # expect-evidence: P2
            cute.arch.setmaxregister_increase(232)
            for k in range(8):
                ring.consumer_wait(k)
                cute.gemm(tiled_mma, acc, sA, sA, acc)  # expect-role: mma
            if warp_idx == 0:  # expect-no-evidence: P2
                cute.copy(tma_atom_c, sC, gC)
        elif warp_idx == self.num_mma_warps:  # expect-evidence: P2
            cute.arch.setmaxregister_decrease(40)
            for k in range(8):
                ring.producer_acquire(k)
                cute.copy(tma_atom_a, gA, sA, tma_bar_ptr=ring.producer_get_barrier(k))  # expect-role: load
