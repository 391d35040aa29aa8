# expect-lint-passed: print-in-small-role
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp_idx == 0:
        cute.arch.setmaxregister_increase(240)
        for i in range(8):
            cute.printf("tile {}", i)
            x[i] = i
