# expect-lint-passed: pending-groups
import cutlass.cute as cute

num_stages = 4


@cute.kernel
def kernel(atom, gA, sA):
    cute.copy(atom, gA, sA)
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(num_stages - 2)
