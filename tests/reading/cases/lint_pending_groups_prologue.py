# A ring of four stages whose prologue fills three of them, and a wait that leaves three in flight: the first
# stage may not be there. One group more, and it is.
import cutlass
import cutlass.cute as cute

pv_stages = 4


@cute.kernel
def kernel(atom, gV, sV, gW, sW):
    for k in range(pv_stages - 1):
        cute.copy(atom, gV[k], sV[k])
        cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(pv_stages - 1)  # expect-lint: pending-groups lets 3 groups stay in flight, and no more than 3 are committed ahead of it
    cute.copy(atom, gW, sW)
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(pv_stages - 1)
