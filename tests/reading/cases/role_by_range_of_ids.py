# A range between the ends of a list of warps is that list's role; a test and a flag together are one role.
# expect-pattern: P2 present roles=2
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def __init__(self):
        self.compute_warp_ids = (0, 1, 2, 3)
        self.mma_warp_id = 4

    @cute.kernel
    def kernel(self, tiled_mma, acc, a, b, gC, is_leader_cta):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        ring = pipeline.PipelineUmmaAsync.create(num_stages=2)
        is_mma_thr = warp_idx == self.mma_warp_id
        if is_mma_thr and is_leader_cta:  # expect-evidence: P2
            for k in range(8):
                cute.gemm(tiled_mma, acc, a, b, acc)  # expect-role: mma
        if (
            warp_idx >= self.compute_warp_ids[0]
            and warp_idx <= self.compute_warp_ids[-1]
        ):
            for k in range(8):
                ring.consumer_wait(k)  # expect-role: compute
                ring.consumer_release(k)
