# Of a problem's sizes taken apart each has its own value.
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1.0


@cute.jit
def entry(a: cute.Tensor, problem: cutlass.Constexpr):
    b, h, d = problem  # expect: H2 grid input=512
    tiles = d // 128
    kernel(a).launch(grid=(tiles, 1, 1), block=(128, 1, 1))


def main():
    entry(cute.runtime.make_fake_tensor(cutlass.Float16, (128, 8)), (1, 32, 512))


main()
