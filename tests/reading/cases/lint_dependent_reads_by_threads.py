# Reads by threads count as reads by TMA do; views are none, and what is read behind the wait is in order.
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(gA: cute.Tensor, gB: cute.Tensor, gC: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    rB = cute.make_rmem_tensor(4, cutlass.Float32)
    first = gA[tidx]  # expect-lint: dependent-read-early gA is read on line 10, the wait stands on line 15
    rows = gB[None, 0]
    cute.autovec_copy(rows, rB)  # expect-lint: dependent-read-early rows is read on line 12
    values = gC.load()  # expect-lint: dependent-read-early gC is read on line 13
    sums = rB.load() + rB[0]
    cute.arch.griddepcontrol_wait()
    gC[tidx] = gA[tidx] + first


@cute.jit
def host(gA: cute.Tensor, gB: cute.Tensor, gC: cute.Tensor):
    kernel(gA, gB, gC).launch(grid=[1, 1, 1], block=[32, 1, 1], use_pdl=True)
