"""A ring of one stage whatever is asked for is none."""
# expect-pattern: P1 absent
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass.cute.nvgpu import cpasync


class Kernel:
    def __init__(self, rows=1):
        self.num_stages = 1

    @cute.kernel
    def kernel(self, a):
        ring = pipeline.PipelineTmaAsync.create(num_stages=self.num_stages)  # expect: D2 pipeline stages=1
        for k in range(8):
            ring.producer_acquire(k)
            cute.copy(a, a, a, tma_bar_ptr=a)

    @cute.jit
    def __call__(self, a):
        tma_a, tensor_a = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), a, a, (64, 64))
        self.kernel(a).launch(grid=(1, 1, 1), block=[256, 1, 1])
