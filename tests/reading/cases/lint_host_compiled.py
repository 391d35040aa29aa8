# expect-lint-passed: kernel-compiled
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    x[0] = 1


@cute.jit
def host(x):
    kernel(x).launch(grid=[1, 1, 1], block=[32, 1, 1])


def run(x):
    compiled = cute.compile(host, x)
    compiled(x)
