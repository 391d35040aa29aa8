# A branch of a kernel in which the reading itself meets an error is not taken for one that never runs.
# expect-give-up: a branch of a kernel ends with an error
import cutlass.cute as cute


@cute.kernel
def kernel(sizes):
    warp_idx = cute.arch.warp_idx()
    if warp_idx == 0:
        first = (1, 2)[2]
        cute.arch.sync_warp()
        for i in range(4):
            cute.arch.mbarrier_wait(sizes, 0)
    cute.arch.sync_threads()


@cute.jit
def launch(sizes):
    kernel(sizes).launch(grid=(1, 1, 1), block=(64, 1, 1))


if __name__ == "__main__":
    launch(None)
