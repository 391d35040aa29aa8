# An elif behind a test that holds is not reached: what stands there is left out, by the outermost condition.
# expect-pattern: P9 present default_active
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self, level: int = 2):
        self.level = level

    @cute.jit
    def __call__(self, a: cute.Tensor):
        self.kernel(a).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.jit
    def masked(self, acc, coord, bound, is_last: bool):
        chosen = self.levels()
        if cutlass.const_expr(chosen >= 2):  # expect: D1 branch taken=true
            if cute.elem_less(coord[0], bound):
                acc[0] = -cutlass.Float32.inf  # expect-evidence: P9
        elif cutlass.const_expr(chosen >= unknown_level()):  # expect: D1 branch taken=false
            acc_more = cute.make_rmem_tensor((4,), cutlass.Float32)  # expect: D4 accumulator active=false
            if is_last:
                acc[1] = -cutlass.Float32.inf  # expect: B1 mask active=false condition=notcutlass.const_expr(chosen>=2)
            if is_last:
                acc[2] = -cutlass.Float32.inf  # expect-no-evidence: P9
            acc[3] = acc_more[0]

    def levels(self):
        return [self.level, 1][0]

    @cute.kernel
    def kernel(self, a: cute.Tensor):
        acc = cute.make_rmem_tensor((4,), cutlass.Float32)
        coord = cute.make_identity_tensor((4,))
        self.masked(acc, coord[0], 3, False)
        self.masked(acc, coord[0], 3, True)
        a[0] = acc[0]


def main():
    Kernel(2)(cute.runtime.make_fake_tensor(cutlass.Float32, (128, 8)))


main()
