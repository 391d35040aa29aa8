# The ring's stages are a parameter of the constructor: its default where nobody calls with another.
# expect-lint-passed: pending-groups
import cutlass.cute as cute


class Kernel:
    def __init__(self, stages: int = 4):  # expect: H3 stages stages=4 overridable=true used=4
        self.depth = stages

    @cute.kernel
    def kernel(self, atom, gA, sA):
        cute.copy(atom, gA, sA)
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(self.depth - 1)


@cute.kernel
def two_rings(atom, gK, sK, gV, sV):
    cute.copy(atom, gK, sK)
    cute.arch.cp_async_commit_group()
    cute.copy(atom, gV, sV)
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(5)
