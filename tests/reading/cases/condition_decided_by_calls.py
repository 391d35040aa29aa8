# Both sides of the test are compiled: one call each.
# expect-pattern: P8 present default_active kind=direct_store
import cutlass
import cutlass.cute as cute


@cute.jit
def step(rX, gX, first: cutlass.Constexpr):
    if cutlass.const_expr(not first):
        cute.autovec_copy(rX, gX)  # expect-evidence: P8


@cute.kernel
def kernel(rX, gX):
    step(rX, gX, True)
    step(rX, gX, False)
