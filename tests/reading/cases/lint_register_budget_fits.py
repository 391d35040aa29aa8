# 24 + 240 + 240 is exactly what three warpgroups start with.
# expect-lint-passed: register-budget
import cutlass.cute as cute


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=[8, 1, 1], block=[384, 1, 1])

    @cute.kernel
    def kernel(self, x):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        if warp_idx < 4:
            cute.arch.setmaxregister_decrease(24)
            for i in range(8):
                x[i] = i
        else:
            cute.arch.setmaxregister_increase(240)
            for i in range(8):
                x[i] += i
