# A ring of two stages never has more than two groups in flight: to leave three waits for nothing.
import cutlass
import cutlass.cute as cute

num_stages = 2


@cute.kernel
def kernel(atom, gA, sA):
    for k in cutlass.range(8):
        cute.copy(atom, gA[k], sA[k % num_stages])
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(3)  # expect-lint: pending-groups lets 3 groups stay in flight; a ring of 2 stages
# expect-remedy: pending-groups worked out for each ring
