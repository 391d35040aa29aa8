# The groups are told, the stages of the ring are not: that is the reason.
# expect-lint-undecided: pending-groups how many stages its ring has is not told
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(atom, gA, sA):
    for k in cutlass.range(8):
        cute.copy(atom, gA[k], sA[0])
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(1)
