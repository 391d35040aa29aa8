# A ring of two stages never has more than two groups in flight: to leave three waits for nothing.
import cutlass.cute as cute

num_stages = 2


@cute.kernel
def kernel(atom, gA, sA):
    cute.copy(atom, gA, sA)
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(3)  # expect-lint: pending-groups lets 3 groups stay in flight; a ring of 2 stages
