# stmatrix came with sm_90; one elected thread and prefetched descriptors too.
# expect-arch: sm_90
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor):
    op = cute.nvgpu.warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))
    store = cute.make_copy_atom(cute.nvgpu.warp.StMatrix8x8x16bOp(False, 4), cutlass.Float16)
