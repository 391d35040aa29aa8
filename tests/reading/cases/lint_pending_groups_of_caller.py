# The caller's number stands, not the default: three groups in a ring of eight.
# expect-lint-passed: pending-groups
import cutlass.cute as cute


class Kernel:
    def __init__(self, stages: int = 2):  # expect: H3 stages stages=2 used=8
        self.depth = stages

    @cute.jit
    def __call__(self, a):
        self.kernel(a).launch(grid=(1, 1, 1), block=(32, 1, 1))

    @cute.kernel
    def kernel(self, a):
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(self.depth - 5)


Kernel(stages=8)(None)
