# Whole warps, by number or by a multiple of 32 threads; a branch that is not about threads. A bulk copy without a
# tensor has its own rule.
# expect-lint-passed: thread-branch-copy
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(tma_atom, gA, gB, gC, sA, sB, sC, bar, more):
    tidx, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp == 0:
        cute.copy(tma_atom, gA, sA, tma_bar_ptr=bar)
    if tidx < 32 and more:
        cute.copy(tma_atom, gB, sB, tma_bar_ptr=bar)
    if tidx // 32 == 1:
        if more > 0:
            cute.copy(tma_atom, gC, sC, tma_bar_ptr=bar)
    bulk = cute.make_copy_atom(cpasync.CopyBulkG2SOp(), gA.element_type)
    with cute.arch.elect_one():
        cute.copy(bulk, gA, sA, mbar_ptr=bar)
