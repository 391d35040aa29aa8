import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def __init__(self):
        self.num_mma_warps = 4  # expect: D1 warp-count warp_count=4
        self.load_warp_id = 4  # expect: D1 role warps=4
        self.mma_warps = pipeline.CooperativeGroup(pipeline.Agent.Thread, 128)
        stages = 2
        stages += 1  # expect: H3 stages stages=3
        self.depth = stages

    @cute.jit
    def __call__(self, a: cute.Tensor):
        warps = self.num_mma_warps + 1
        threads = 32 * warps  # expect: H2 block input=160
        tiles = (4, 2)
        grid = (tiles[0], tiles[1], 1)  # expect: H2 grid grid=(4,2,1)
        self.kernel(a).launch(grid=grid, block=[threads, 1, 1])

    @cute.kernel
    def kernel(self, a: cute.Tensor):
        if cutlass.const_expr(self.depth > 8):
            cute.arch.sync_threads()  # expect: D5 barrier active=false


if __name__ == "__main__":
    Kernel()(None)
