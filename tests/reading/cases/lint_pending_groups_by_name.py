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
        cute.arch.cp_async_wait_group(qk_stages + 2)  # expect-lint: pending-groups lets 4 groups stay in flight; 2 rings of 2 stages never have more than 4
        cute.copy(atom, gV[k], sV[k % pv_stages])
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(pv_stages + 2)
