"""Barriers that take turns are one ring: two halves of an array with names of their own, and a name for one stage."""
# expect-pattern: P1 present default_active
import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as cuda
import cutlass.experimental.primitives as prims

NUM_STAGES = 3


@cute.kernel
def kernel(desc: cutlass.GridConstant[cuda.TensorMap]):
    tile = cutlass.Array(cutlass.Float16, NUM_STAGES * 4096, space=cutlass.AddressSpace.smem)
    bars = cutlass.Array(cutlass.Int64, 2 * NUM_STAGES, space=cutlass.AddressSpace.smem)
    full = bars
    empty = bars.subview(NUM_STAGES)
    done = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem)
    for i in cutlass.range_constexpr(NUM_STAGES):
        prims.mbarrier_init(full.subview(i), 1)  # expect: D2 pipeline class=mbarriers stages=3
        prims.mbarrier_init(empty.subview(i), 1)
    prims.mbarrier_init(done, 1)
    prims.fence_mbarrier_init()
    prims.barrier_cta_sync(0)
    if cute.arch.warp_idx() == 0:
        for k in cutlass.range(8):
            slot = full.subview(k % NUM_STAGES)
            while not prims.mbarrier_try_wait_parity(empty.subview(k % NUM_STAGES), (k // NUM_STAGES) & 1):
                pass
            prims.mbarrier_arrive_expect_tx(slot, 8192)
            prims.cp_async_bulk_tensor_shared_cta_global(tile, desc.get_ptr(), (k, 0), slot)
    else:
        for k in cutlass.range(8):
            while not prims.mbarrier_try_wait_parity(full.subview(k % NUM_STAGES), (k // NUM_STAGES) & 1):
                pass
            prims.mbarrier_arrive(empty.subview(k % NUM_STAGES))
        prims.mbarrier_arrive(done)
    while not prims.mbarrier_try_wait_parity(done, 0):
        pass


@cute.jit
def run(x: cute.Tensor):
    desc = cuda.create_tensor_map_tiled_from_view(x, box_dims=(64, 64))
    kernel(desc).launch(grid=(1, 1, 1), block=(64, 1, 1))
