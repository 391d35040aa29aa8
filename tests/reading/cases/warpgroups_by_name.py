# Numbers of warpgroups, which warpgroup, numbers of warps, which warp: each under a name of its own.
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.num_mma_warp_groups = 2  # expect: D1 warp-count warpgroup_count=2
        self.convert_warpgroups = 3  # expect: D1 warp-count warpgroup_count=3
        self.warpgroup_warps = 4  # expect: D1 warp-count warp_count=4
        self.softmax_warpgroup_id = 1  # expect: D1 role warpgroups=1
        self.convert_warpgroup_ids = tuple(range(2, 4))  # expect: D1 role warpgroups=(2,3)
        self.load_warp_id = 12  # expect: D1 role warps=12

    @cute.jit
    def __call__(self, a):
        self.kernel(a).launch(grid=(1, 1, 1), block=(256, 1, 1))

    @cute.kernel
    def kernel(self, a):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        tidx, _, _ = cute.arch.thread_idx()
        warpgroup_tidx = tidx % 128  # expect: D1 identity index=tidx%128
        warp_group_idx = cute.arch.make_warp_uniform(tidx // 128)  # expect: D1 identity index=cute.arch.make_warp_uniform(tidx//128)
        is_dma = warp_idx < 4
        if is_dma:  # expect: D1 role elected=false rejoins=true threads=128
            cute.arch.setmaxregister_decrease(40)
        if warp_idx == 0:  # expect: D1 role elected=true threads=32
            cute.arch.mbarrier_init(a, 1)
