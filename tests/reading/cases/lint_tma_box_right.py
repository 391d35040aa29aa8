# 64 halfs are the 128 bytes of the swizzle; without one a row of 256 elements is a box.
# expect-lint-passed: tma-box
# expect-lint-passed: tma-stride
import cutlass
import cutlass.cute as cute
from cutlass.experimental import cuda


@cute.jit
def host(a):
    swizzled = cuda.create_tensor_map_tiled(
        a, dtype=cutlass.Float16, global_dims=[4096, 4096], global_strides=[512], box_dims=[64, 256],
        swizzle=cuda.TensorMapSwizzle.s128b,
    )
    plain = cuda.create_tensor_map_tiled(
        a, dtype=cutlass.Float32, global_dims=[4096, 4096], global_strides=[1024], box_dims=[256, 16],
        swizzle=cuda.TensorMapSwizzle.none,
    )
