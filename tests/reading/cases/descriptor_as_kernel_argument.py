# expect-style: primitives
import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as cuda
from cutlass.experimental import primitives as prims

STAGES = 2


@cute.kernel
def kernel(load_desc: cutlass.GridConstant[cuda.TensorMap], store_desc: cutlass.GridConstant[cuda.TensorMap], dst: cute.Tensor):
    smem = cutlass.Array(cutlass.Float16, STAGES * 128 * 64, space=cutlass.AddressSpace.smem, alignment=128)  # expect: H3 allocation bytes=32768 type=Float16
    bars = cutlass.Array(cutlass.Int64, STAGES, space=cutlass.AddressSpace.smem)  # expect: H3 allocation bytes=16
    registers = cutlass.Array(cutlass.Float16, 8)
    prims.mbarrier_init(bars.subview(0), 1)  # expect: D5 barrier
    prims.fence_mbarrier_init()
    source = load_desc.get_ptr()
    prims.mbarrier_arrive_expect_tx(bars.subview(0), 16384)  # expect: D5 barrier
    prims.cp_async_bulk_tensor_shared_cluster_global(smem.subview(0), source, (0, 0), bars.subview(0), [], multicast_mask=3)  # expect: D3 copy operation=tma-load direction=load multicast=true descriptor=load_desc buffer=smem
    while not prims.mbarrier_try_wait_parity(bars.subview(0), 0):  # expect: D2 wait; D5 barrier
        pass
    column = cute.arch.lane_idx() // 8
    row = cute.arch.lane_idx()
    swizzled = (column ^ (row & 7)) * 8  # expect: D6 swizzle-by-hand
    pointer = dst.iterator.raw_ptr()
    (pointer + swizzled).store((smem.data_ptr() + swizzled).load())  # expect: E1 store type=direct_store
    prims.mbarrier_arrive(bars.subview(1))  # expect: D5 barrier
    prims.cp_async_bulk_tensor_global_shared_cta(store_desc.get_ptr(), smem.subview(0), (0, 0))  # expect: D3 copy operation=tma-store direction=store descriptor=store_desc; E1 store type=smem_tma_store


@cute.jit
def host(src: cute.Tensor, dst: cute.Tensor):
    load_desc = cuda.create_tensor_map_tiled_from_view(src, box_dims=(128, 64))  # expect: H1 tma-descriptor direction=load multicast=true
    store_desc = cuda.create_tensor_map_tiled_from_view(dst, box_dims=(128, 64))  # expect: H1 tma-descriptor direction=store multicast=false
    kernel(load_desc, store_desc, dst).launch(grid=(1, 1, 1), block=(64, 1, 1))
