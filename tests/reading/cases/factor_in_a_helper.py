# A factor that a helper of the program applies stands in the formula of what is made with it.
import cutlass.cute as cute


def warps_of(tile):
    return tile // 32 * 2


class Kernel:
    def __init__(self, tile=64):
        self.tile = tile

    def rows(self):
        return self.tile * 4

    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(
            grid=(1024 // self.rows(), 1, 1),
            block=(32 * warps_of(self.tile), 1, 1),  # expect: H2 block block=(128,1,1) formula=(32*warps_of(self.tile),1,1),wherewarps_of(self.tile)=tile//32*2=4
        )

    @cute.kernel
    def kernel(self, x):
        tidx, _, _ = cute.arch.thread_idx()


Kernel()(None)
