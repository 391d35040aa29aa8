# Block-scaled MMA by warps is sm_120's own.
# expect-arch: sm_120a
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor):
    op = cute.nvgpu.warp.MmaMXF4NVF4Op(cutlass.Float4E2M1FN, cutlass.Float32, cutlass.Float8E4M3FN)
