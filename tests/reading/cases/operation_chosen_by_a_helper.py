# A helper chooses the MMA operation: what the tiled MMA needs and is, the choice says.
# expect-arch: sm_120a
import cutlass
import cutlass.cute as cute


def choose(dtype, sf_dtype):
    if dtype == cutlass.Float4E2M1FN:
        return cute.nvgpu.warp.MmaMXF4NVF4Op(dtype, cutlass.Float32, sf_dtype), False
    return cute.nvgpu.warp.MmaF16BF16Op(dtype, cutlass.Float32, (16, 8, 16)), True


class Kernel:
    @cute.jit
    def __call__(self):
        op, other = choose(cutlass.Float4E2M1FN, cutlass.Float8E4M3FN)
        tiled_mma = cute.make_tiled_mma(op, cute.make_layout((4, 2, 1)))  # expect: D4 mma operation=MmaMXF4NVF4Op family=mma.sync
        self.kernel(tiled_mma).launch(grid=(1, 1, 1), block=(256, 1, 1))

    @cute.kernel
    def kernel(self, tiled_mma: cute.TiledMma):
        tidx, _, _ = cute.arch.thread_idx()


if __name__ == "__main__":
    Kernel()()
