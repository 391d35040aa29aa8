# A box of 320 rows; a row of 128 halfs under a 128 byte swizzle; a row of 20 bytes; a tensor of odd rows.
import cutlass
import cutlass.cute as cute
from cutlass.experimental import cuda


@cute.jit
def host(a):
    tall = cuda.create_tensor_map_tiled(  # expect-lint: tma-box mode 1 of tall's box has 320 elements
        a, dtype=cutlass.Float16, global_dims=[4096, 4096], global_strides=[512], box_dims=[64, 320],
        swizzle=cuda.TensorMapSwizzle.s128b,
    )
    wide = cuda.create_tensor_map_tiled(  # expect-lint: tma-box a row of wide's box has 256 bytes, the 128 byte swizzle takes rows of at most 128: load 2 boxes of 64 elements
        a, dtype=cutlass.Float16, global_dims=[4096, 4096], global_strides=[512], box_dims=[128, 64],
        swizzle=cuda.TensorMapSwizzle.s128b,
    )
    narrow = cuda.create_tensor_map_tiled(  # expect-lint: tma-box a row of narrow's box has 20 bytes, no multiple of 16
        a, dtype=cutlass.Float16, global_dims=[4096, 4096], global_strides=[512], box_dims=[10, 64],
        swizzle=cuda.TensorMapSwizzle.none,
    )
    odd = cuda.create_tensor_map_tiled(  # expect-lint: tma-stride a row of odd's tensor has 2014 bytes
        a, dtype=cutlass.Float16, global_dims=[1007, 64], global_strides=[126], box_dims=[64, 64],
        swizzle=cuda.TensorMapSwizzle.s128b,
    )
