# expect-pattern: P2 present
# expect-pattern: P10 present
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def __init__(self):
        self.load_warp_id = 4  # expect: D1 role warps=4
        self.mma_warp_id = 5  # expect: D1 role warps=5
        self.num_regs_load = 40 - 2 * 8  # expect: D1 register-budget registers=24

    @cute.kernel
    def kernel(self, x):
        warp_idx = cute.arch.warp_idx()  # expect: D1 identity
        warp_idx = cute.arch.make_warp_uniform(warp_idx)  # expect: D1 identity
        ring = pipeline.PipelineTmaUmma.create(num_stages=4)
        if warp_idx == self.load_warp_id:  # expect: D1 role elected=false
            cute.arch.setmaxregister_decrease(self.num_regs_load)  # expect: D1 register-budget registers=24 action=decrease
            for k in range(8):
                ring.producer_acquire(k)  # expect-role: load
            ring.producer_tail(8)
        if warp_idx == self.mma_warp_id:  # expect: D1 role elected=false
            cute.arch.setmaxregister_increase(232)  # expect: D1 register-budget registers=232 action=increase
            for k in range(8):
                ring.consumer_wait(k)  # expect-role: mma
