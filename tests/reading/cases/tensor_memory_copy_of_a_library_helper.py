# A helper of the library that makes the copy from tensor memory, and its tensors.
# expect-pattern: P5 present default_active tmem_to_rmem=true
import cutlass.cute as cute
import cutlass.utils.mixed_input_helpers as helpers


@cute.kernel
def kernel(tmem_ptr, layout, gC, tile, tidx):
    tCtAcc = cute.make_tensor(tmem_ptr, layout)
    tiled, source, target = helpers.epilog_tmem_copy_and_partition(  # expect: D4 tmem-copy
        tile, None, None, None, tidx, tCtAcc, gC, tile, False)
    cute.copy(tiled, source, target)
