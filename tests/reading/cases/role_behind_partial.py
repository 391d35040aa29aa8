"""A role hands its work on as a function with some arguments bound: what is in there is the role's."""
import functools

import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.kernel
    def kernel(self, a):
        warp_idx = cute.arch.warp_idx()
        ring = pipeline.PipelineTmaAsync.create(num_stages=4)
        if warp_idx == 0:
            for k in range(8):
                ring.producer_acquire(k)
                cute.copy(a, a, a, tma_bar_ptr=a)
        else:
            step = functools.partial(self.one_block, ring=ring)
            for k in range(8):
                step(k)

    @cute.jit
    def one_block(self, k, ring):
        ring.consumer_wait(k)  # expect-role: other warps
        cute.gemm(k, k, k, k, k)
        ring.consumer_release(k)

    @cute.jit
    def __call__(self, a):
        self.kernel(a).launch(grid=(1, 1, 1), block=[256, 1, 1])
