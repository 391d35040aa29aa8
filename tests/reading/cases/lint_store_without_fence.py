# Threads write the tile, TMA stores it: two proxies and nothing that orders them.
import cutlass.cute as cute


@cute.kernel
def kernel(tma_atom, copy_atom, rC, sC, gC):
    cute.copy(copy_atom, rC, sC)
    cute.arch.sync_threads()
    cute.copy(tma_atom, sC, gC)  # expect-lint: store-without-fence sC is written by threads and stored by TMA without a proxy fence
    cute.arch.cp_async_bulk_commit_group()
    cute.arch.cp_async_bulk_wait_group(0)
