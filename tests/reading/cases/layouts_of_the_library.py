# with: dsl-sources
# Layouts that the library makes under other names than the usual; those of scale factors are not swizzled.
# expect-pattern: P6 absent
import cutlass
import cutlass.cute as cute
import cutlass.utils.blockscaled_layout as blockscaled_utils


class Kernel:
    @cute.jit
    def __call__(self, a: cute.Tensor, tiled_mma: cute.TiledMma):
        sfa = blockscaled_utils.sm120_make_smem_layout_sfa(  # expect: D6 shared-layout
            tiled_mma,
            (128, 128, 128),
            16,
            3,
        )
        self.kernel(sfa).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, sfa: cute.Layout):
        tidx, _, _ = cute.arch.thread_idx()
