# Two rings with one producer: which of them a plain number is meant for is not told.
# expect-lint-undecided: pending-groups right for rings of 4 stages, nothing is waited for where its ring has 2
import cutlass
import cutlass.cute as cute

qk_stages = 2
pv_stages = 4


@cute.kernel
def kernel(atom, gK, sK, gV, sV):
    for k in cutlass.range(8):
        cute.copy(atom, gK[k], sK[k % qk_stages])
        cute.arch.cp_async_commit_group()
        cute.copy(atom, gV[k], sV[k % pv_stages])
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(5)
