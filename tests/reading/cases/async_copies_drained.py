# The last cp.async groups are waited for after the loop that issues them.
# expect-pattern: P10 present default_active cp_async_wait0=true
import cutlass.cute as cute


@cute.kernel
def kernel(atom, a, b):
    for k in range(8):
        cute.copy(atom, a[k], b[k])
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(2)  # expect-no-evidence: P10
    cute.arch.cp_async_wait_group(0)  # expect-evidence: P10
