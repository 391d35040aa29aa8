# A wait in a function that the loop calls, or inside the loop that issues, is no drain.
# expect-pattern: P10 absent
import cutlass.cute as cute


@cute.jit
def step(atom, a, b):
    for m in range(4):
        cute.copy(atom, a[m], b[m])
        cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(0)


@cute.kernel
def kernel(atom, a, b):
    for k in range(8):
        step(atom, a[k], b[k])
