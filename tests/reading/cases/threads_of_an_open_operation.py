"""Which wgmma it is hangs on a type that nobody gives; that its warpgroups have 128 threads each does not."""
# with: dsl-sources
import cutlass
import cutlass.cute as cute
import cutlass.utils.hopper_helpers as sm90_utils
from cutlass.cute.nvgpu import warpgroup


class Kernel:
    def __init__(self, dtype):
        self.dtype = dtype

    @cute.jit
    def __call__(self, x: cute.Tensor):
        tiled_mma = sm90_utils.make_trivial_tiled_mma(
            self.dtype, self.dtype, warpgroup.OperandMajorMode.K, warpgroup.OperandMajorMode.K, cutlass.Float32,
            atom_layout_mnk=(2, 1, 1), tiler_mn=(64, 128),
        )
        self.kernel(x, tiled_mma).launch(grid=(1, 1, 1), block=(tiled_mma.size + 128, 1, 1))  # expect: H2 launch threads=384

    @cute.kernel
    def kernel(self, x: cute.Tensor, tiled_mma: cute.TiledMma):
        x[0] = 1
