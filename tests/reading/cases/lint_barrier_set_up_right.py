"""The same load done right: a fence, a wait from parity 0 on, and a wait for each barrier."""
# expect-lint-passed: barrier-init-unfenced
# expect-lint-passed: barrier-never-waited
# expect-lint-passed: first-wait-parity
import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as cuda
import cutlass.experimental.primitives as prims


@cute.kernel
def kernel(desc: cutlass.GridConstant[cuda.TensorMap]):
    tile = cutlass.Array(cutlass.Float16, (64, 64), space=cutlass.AddressSpace.smem)
    full = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem)
    done = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem)
    if cute.arch.thread_idx()[0] == 0:
        prims.mbarrier_init(full, 1)
        prims.mbarrier_init(done, 1)
    prims.fence_mbarrier_init()
    prims.barrier_cta_sync(0)
    prims.mbarrier_arrive_expect_tx(full, 8192)
    prims.cp_async_bulk_tensor_shared_cta_global(tile, desc.get_ptr(), (0, 0), full)
    while not prims.mbarrier_try_wait_parity(full, 0):
        pass
    prims.mbarrier_arrive(done)
    while not prims.mbarrier_try_wait_parity(done, 0):
        pass


@cute.jit
def run(x: cute.Tensor):
    desc = cuda.create_tensor_map_tiled_from_view(x, box_dims=(64, 64))
    kernel(desc).launch(grid=(1, 1, 1), block=(128, 1, 1))
