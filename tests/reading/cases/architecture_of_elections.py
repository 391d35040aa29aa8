# elect.sync came with sm_90.
# expect-arch: sm_90
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor):
    with cute.arch.elect_one():
        a[0] = 1
