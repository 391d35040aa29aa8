import cutlass.cute as cute


@cute.kernel
def kernel(tma_atom, sC, gC):
    cute.copy(tma_atom, sC, gC)
    cute.arch.cp_async_bulk_commit_group()  # expect-lint: store-not-waited never waited for
