# Which fence orders the staged tile before the TMA store; a fence before another hand-over is another matter.
# expect-why: P10 no wait stands after a loop that issues what it waits for
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x, x, x, x, x, x).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, tma_atom_c, tiled_copy, rC, sC, gC, warp):
        info = pipeline.PipelineAsync.create(num_stages=2)
        info.producer_acquire(0)
        cute.arch.fence_proxy("async.shared", space="cta")  # expect-none: D5 fence orders=tma-store
        info.producer_commit(0)
        cute.copy(tiled_copy, rC, sC)
        cute.arch.fence_proxy("async.shared", space="cta")  # expect: D5 fence orders=tma-store
        cute.arch.barrier(barrier_id=1, number_of_threads=128)
        if warp == 0:
            cute.copy(tma_atom_c, sC, gC)
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0)
