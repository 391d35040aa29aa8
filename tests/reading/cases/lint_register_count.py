import cutlass.cute as cute


@cute.kernel
def kernel(x):
    warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp_idx == 0:
        cute.arch.setmaxregister_decrease(36)  # expect-lint: register-count 36 registers
        for i in range(8):
            x[i] = i
