# expect-lint-passed: store-without-fence
import cutlass.cute as cute


@cute.kernel
def kernel(tma_atom, copy_atom, rC, sC, gC):
    cute.copy(copy_atom, rC, sC)
    cute.arch.fence_proxy("async.shared", space="cta")
    cute.arch.sync_threads()
    cute.copy(tma_atom, sC, gC)
    cute.arch.cp_async_bulk_commit_group()
    cute.arch.cp_async_bulk_wait_group(0)
