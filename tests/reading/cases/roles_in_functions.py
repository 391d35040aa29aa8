# expect-pattern: P2 present
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.kernel
    def kernel(self, atom, x):
        warp_idx = cute.arch.warp_idx()
        if warp_idx == 0:  # expect: D1 role elected=true
            for tma_atom in (atom, x):
                cute.nvgpu.cpasync.prefetch_descriptor(tma_atom)
        ring = pipeline.PipelineTmaAsync.create(num_stages=4)
        if warp_idx < 4:  # expect: D1 role elected=false
            self.load(ring, x)
        else:  # expect: D1 role elected=false
            self.multiply(ring, x)

    @cute.jit
    def load(self, ring, x):
        for k in range(8):
            ring.producer_acquire(k)  # expect-role: load
        ring.producer_tail(k)  # expect-role: load

    @cute.jit
    def multiply(self, ring, x):
        for k in range(8):
            ring.consumer_wait(k)  # expect-role: mma
            cute.gemm(x, x, x, x, x)
