# The second kernel is not launched under the defaults: it shows nothing of the default path.
# expect-pattern: P8 present default_active kind=direct_store
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.split = False

    @cute.jit
    def __call__(self, x, y):
        self.first(x, y).launch(grid=(1, 1, 1), block=(128, 1, 1))
        if cutlass.const_expr(self.split):
            self.second(x, y).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def second(self, rX, gY):
        cute.autovec_copy(rX, gY)  # expect-no-evidence: P8

    @cute.kernel
    def first(self, rX, gY):
        cute.autovec_copy(rX, gY)  # expect-evidence: P8
