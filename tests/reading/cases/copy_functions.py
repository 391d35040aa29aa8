# expect-pattern: P1 present
# expect-pattern: P8 present kind=smem_tma_store
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass.cute.nvgpu import cpasync
from kernels_common import copy_utils


class Kernel:
    @cute.jit
    def __call__(self, x):
        tma_atom_a, _ = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), x, x, x)
        tma_atom_d, _ = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), x, x, x)
        self.epilogue_limits(x)
        self.kernel(tma_atom_a, tma_atom_d, x).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, tma_atom_a, tma_atom_d, gA, sA, sD):
        ring = pipeline.PipelineTmaAsync.create(num_stages=4)
        load_a = copy_utils.tma_get_copy_fn(tma_atom_a, src_tensor=gA, dst_tensor=sA)  # expect: D3 copy operation=tma-load
        store_d = copy_utils.tma_get_copy_fn(tma_atom_d, src_tensor=sD, dst_tensor=gA)  # expect: D3 copy operation=tma-store
        for k in range(8):
            ring.producer_acquire(k)
            load_a(k, tma_bar_ptr=ring.producer_get_barrier(k))  # expect: D3 copy operation=tma-load
        store_d(0)

    def epilogue_limits(self, x):
        return x
