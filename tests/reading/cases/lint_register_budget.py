# Three warpgroups start with 168 registers a thread; 40 + 240 + 240 is more than 3 * 168.
# expect-lint-passed: register-count
import cutlass.cute as cute


class Kernel:
    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=[8, 1, 1], block=[384, 1, 1])

    @cute.kernel
    def kernel(self, x):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        if warp_idx < 4:  # expect: D1 role threads=128 warps=(0,1,2,3)
            cute.arch.setmaxregister_decrease(40)  # expect-lint: register-budget 66560 registers, 384 threads start with at most 168 each, 64512 in all
            for i in range(8):
                x[i] = i
        else:  # expect: D1 role threads=256
            cute.arch.setmaxregister_increase(240)
            for i in range(8):
                x[i] += i
