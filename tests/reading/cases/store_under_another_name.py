# The destination is global by the name it was given first.
# expect-pattern: P8 present kind=direct_store
import cutlass.cute as cute


@cute.kernel
def kernel(tTR_gC, rC):
    destination = tTR_gC
    cute.autovec_copy(rC, destination)  # expect-first: P8
