# Only const_expr selects while tracing; a plain if compiles both sides.
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.use_tma_store = False

    @cute.kernel
    def kernel(self, x):
        if cutlass.const_expr(self.use_tma_store):  # expect: D1 branch decided=compile-time taken=false
            x[0] = 1
        if self.use_tma_store:  # expect: D1 branch decided=run-time
            x[1] = 1
