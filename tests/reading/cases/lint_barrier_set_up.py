"""A load by hand: no fence behind the barriers' initialisation, a first wait for the wrong phase, and a barrier whose
arrivals nobody waits for."""
import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as cuda
import cutlass.experimental.primitives as prims


@cute.kernel
def kernel(desc: cutlass.GridConstant[cuda.TensorMap]):
    tile = cutlass.Array(cutlass.Float16, (2 * 64, 64), space=cutlass.AddressSpace.smem)
    full = cutlass.Array(cutlass.Int64, 2, space=cutlass.AddressSpace.smem)
    done = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem)
    if cute.arch.thread_idx()[0] == 0:
        for s in range(2):
            prims.mbarrier_init(full.subview(s), 1)  # expect-lint: barrier-init-unfenced full is initialised
        prims.mbarrier_init(done, 1)  # expect-lint: barrier-init-unfenced done is initialised
    prims.barrier_cta_sync(0)
    slot = full.subview(1)
    prims.mbarrier_arrive_expect_tx(slot, 8192)
    prims.cp_async_bulk_tensor_shared_cta_global(tile, desc.get_ptr(), (0, 0), slot)
    while not prims.mbarrier_try_wait_parity(slot, 1):  # expect-lint: first-wait-parity every wait for full is for parity 1
        pass
    prims.mbarrier_arrive(done)  # expect-lint: barrier-never-waited done completes and nobody waits for it


@cute.jit
def run(x: cute.Tensor):
    desc = cuda.create_tensor_map_tiled_from_view(x, box_dims=(64, 64))
    kernel(desc).launch(grid=(1, 1, 1), block=(128, 1, 1))
# expect-remedy: barrier-never-waited compute-sanitizer --tool synccheck
