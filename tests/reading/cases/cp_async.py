# expect-pattern: P1 absent
# expect-arch: sm_80
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(gX, sX, mask):
    atom = cute.make_copy_atom(cpasync.CopyG2SOp(), gX.element_type, num_bits_per_copy=128)
    tiled = cute.make_tiled_copy_tv(atom, None, None)
    thread = tiled.get_slice(0)
    cute.copy(tiled, gX, sX, pred=mask)  # expect: D3 copy operation=cp-async; B1 predicated-copy
    cute.arch.cp_async_commit_group()  # expect: D3 copy-group
    cute.arch.cp_async_wait_group(0)  # expect: D3 copy-group
    cute.arch.sync_threads()  # expect: D5 barrier
