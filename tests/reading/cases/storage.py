import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

ab_stages = 4  # expect: H3 stages stages=4


@cute.struct
class SharedStorage:  # expect: H3 storage
    barriers: cute.struct.MemRange[cutlass.Int64, ab_stages * 2]  # expect: H3 storage-member count=8 bytes=64
    tile: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, 64 * 64 * ab_stages], 1024]  # expect: H3 storage-member type=cutlass.Float16 count=16384 bytes=32768 alignment=1024


@cute.kernel
def kernel(layout):
    smem = utils.SmemAllocator()
    storage = smem.allocate(SharedStorage)  # expect: H3 allocation
    a = storage.tile.get_tensor(layout.outer, swizzle=layout.inner)  # expect: D6 swizzle-applied
    b = smem.allocate_tensor(cutlass.Float32, layout, byte_alignment=16)  # expect: H3 allocation; D6 shared-layout
