# Two rings with one producer: each wait is held to the ring that its count names.
import cutlass
import cutlass.cute as cute

qk_stages = 2
pv_stages = 4


@cute.kernel
def kernel(atom, gK, sK, gV, sV):
    for k in cutlass.range(8):
        cute.copy(atom, gK[k], sK[k % qk_stages])
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(qk_stages + 1)  # expect-lint: pending-groups lets 3 groups stay in flight; a ring of 2 stages
        cute.copy(atom, gV[k], sV[k % pv_stages])
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(pv_stages - 1)
