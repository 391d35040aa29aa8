# expect-lint-passed: store-not-waited
import cutlass.cute as cute


@cute.kernel
def kernel(tma_atom, sC, gC):
    cute.copy(tma_atom, sC, gC)
    cute.arch.cp_async_bulk_commit_group()
    cute.arch.cp_async_bulk_wait_group(0)
