"""A descriptor that says it does not swizzle."""
# expect-pattern: P6 absent
import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as cuda


@cute.kernel
def kernel(desc: cutlass.GridConstant[cuda.TensorMap]):
    pass


@cute.jit
def run(x: cute.Tensor):
    desc = cuda.create_tensor_map_tiled_from_view(x, box_dims=(64, 64), swizzle=cuda.TensorMapSwizzle.none)  # expect: D6 shared-layout
    kernel(desc).launch(grid=(1, 1, 1), block=(128, 1, 1))
