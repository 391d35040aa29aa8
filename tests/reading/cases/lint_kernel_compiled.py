import cutlass.cute as cute


@cute.kernel
def kernel(x):
    x[0] = 1


def run(x):
    compiled = cute.compile(kernel, x)  # expect-lint: kernel-compiled kernel is a @cute.kernel
    compiled(x)
# P72: the entry point of cute.compile is the host function.
# expect-remedy: kernel-compiled @cute.jit function that launches the kernel
