import cutlass
import cutlass.cute as cute


@cute.struct
class Storage:
    sQ: cute.struct.MemRange[cutlass.Float16, 4096]


@cute.kernel
def kernel(mO: cute.Tensor, swizzle: cutlass.Constexpr):
    smem = cutlass.utils.SmemAllocator()
    storage = smem.allocate(Storage)
    plain_smem_layout = cute.make_layout((64, 64))  # expect: D6 shared-layout
    layout = cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, plain_smem_layout)
    sQ = storage.sQ.get_tensor(layout)  # expect: D6 swizzle-applied
    sQ_for_store = storage.sQ.get_tensor(plain_smem_layout)  # expect: H3 alias of=sQ
    sO = cute.make_tensor(sQ.iterator, plain_smem_layout)  # expect: H3 alias of=sQ
    gO = cute.make_tensor(mO.iterator, plain_smem_layout)
    pointer = cute.recast_ptr(sQ.iterator, swizzle)  # expect: D6 swizzle-applied swizzle=swizzle
    bare = cute.recast_ptr(sQ.iterator, None, cutlass.Float32)  # expect: D6 swizzle-removed
