# Three groups are committed ahead of the loop, two may stay in flight; at the end none does.
# expect-lint-passed: pending-groups
import cutlass
import cutlass.cute as cute

num_stages = 4


@cute.kernel
def kernel(atom, gA, sA):
    for k in range(num_stages - 1):
        cute.copy(atom, gA[k], sA[k])
        cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(num_stages - 2)  # expect: D3 copy-group pending=2 committed=3
    for k in cutlass.range(8):
        cute.copy(atom, gA[k], sA[k % num_stages])
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(num_stages - 2)
    cute.arch.cp_async_wait_group(0)
