# pred=True asks a helper for a predicate of its own, pred=False for none.
# expect-pattern: P9 present
import cutlass.cute as cute


@cute.kernel
def kernel(copy_a, k):
    copy_a(k, pred=False)  # expect-none: B1 predicated-copy
    copy_a(k, pred=True)  # expect: B1 predicated-copy says=copy_aisaskedtopredicate
