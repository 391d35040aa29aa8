# The groups are told, the stages of the ring are not: that is the reason.
# expect-lint-undecided: pending-groups how many stages its ring has is not told
import cutlass.cute as cute


@cute.kernel
def kernel(atom, gA, sA):
    cute.copy(atom, gA, sA)
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(1)
