"""Roles whose loops lie in functions of cute_ext: different warps work at the same time, and none rejoins the others."""
# expect-pattern: P2 present default_active roles=3
import cutlass.cute as cute
import cutlass.cute_ext as cute_ext


class Kernel:
    @cute.jit
    def __call__(self, a):
        self.kernel(a).launch(grid=(1, 1, 1), block=[192, 1, 1])

    @cute.kernel
    def kernel(self, a, tiles, pipe, acc_pipe):
        warp_idx = cute.arch.warp_idx()
        if warp_idx == 5:  # expect-evidence: P2
            for k in range(tiles):
                token, idx = pipe.producer_acquire_and_get_stage()
                cute_ext.tma_load(a, a, token)
                pipe.producer_commit_and_advance()
        if warp_idx == 4:  # expect-evidence: P2
            token, idx = acc_pipe.producer_acquire_and_get_stage()
            pipe, _ = cute_ext.mainloop_mma(a, a, a, a, 0, tiles, 1, pipe, pipe)
            acc_pipe.producer_commit_and_advance()
        if warp_idx < 4:  # expect-evidence: P2
            _, idx = acc_pipe.consumer_wait_and_get_stage()
            cute_ext.epilogue_tma_store(a, False, a, a)


Kernel()(None)
