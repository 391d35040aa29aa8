import cutlass.cute as cute


@cute.kernel
def kernel(x):
    warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp_idx == 0:
        cute.arch.setmaxregister_decrease(24)
        for i in range(8):
            cute.printf("tile {}", i)  # expect-lint: print-in-small-role keeps 24 registers a thread
            x[i] = i
