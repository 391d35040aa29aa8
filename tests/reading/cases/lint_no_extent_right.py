# An empty cluster keyword and the largest CTA there is.
import cutlass.cute as cute


# expect-lint-passed: no-extent
@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1


@cute.jit
def run(a: cute.Tensor, cluster=None):
    kernel(a).launch(grid=[1, 1, 1], block=[1024, 1, 1], cluster=cluster)  # expect: H2 launch grid=(1,1,1) threads=1024
