# One thread of a warp goes to the copy, and the copy waits for the warp to elect one.
import cutlass.cute as cute


@cute.kernel
def kernel(tma_atom, gA, gB, gC, sA, sB, sC, bar):
    tidx, _, _ = cute.arch.thread_idx()
    lane = cute.arch.lane_idx()
    first = tidx % 128 == 0
    if tidx == 0:
        cute.copy(tma_atom, gA, sA, tma_bar_ptr=bar)  # expect-lint: thread-branch-copy only some threads of a warp reach this copy (tidx == 0)
    if first and lane < 32:
        cute.copy(tma_atom, gB, sB, tma_bar_ptr=bar)  # expect-lint: thread-branch-copy (first and lane < 32)
    with cute.arch.elect_one():
        cute.copy(tma_atom, gC, sC, tma_bar_ptr=bar)  # expect-lint: thread-branch-copy (elect_one())
# expect-remedy: thread-branch-copy leave the election to cute.copy
