# A multiply of plain threads keeps its fragment of C in registers. Stages and tile are the constructor's defaults; the
# padded layouts are made by the host and passed to the kernel; the threads come from a method.
# expect-pattern: P5 present default_active
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


class SGemm:
    def __init__(
        self,
        cta_tiler=(64, 64, 8),  # expect: D4 tile shape=(64,64,8)
        num_stages: int = 3,  # expect: H3 stages stages=3
        threads=None,
    ):
        self.cta_tiler = cta_tiler
        self.num_stages = num_stages
        self.threads = threads or self.heuristic()

    def heuristic(self):
        warps = self.cta_tiler[0] // 16
        found = warps * 32  # expect: H2 block
        return found

    @cute.jit
    def __call__(self, mA: cute.Tensor):
        tiled_mma = cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(cutlass.Float32))
        sA_layout = cute.make_layout((64, 8, self.num_stages), stride=(1, 68, 544))  # expect: D6 shared-layout layout=(64,8,3):(1,68,544)
        self.kernel(mA, tiled_mma, sA_layout).launch(grid=[1, 1, 1], block=[self.threads, 1, 1])

    @cute.kernel
    def kernel(self, mA: cute.Tensor, tiled_mma: cute.TiledMma, sA_layout: cute.Layout):
        smem = utils.SmemAllocator()
        sA = smem.allocate_tensor(cutlass.Float32, sA_layout, 16)  # expect: H3 allocation bytes=6512
        word = smem.allocate_array(cutlass.Int64, num_elems=2)  # expect: H3 allocation bytes=16
        tCrC = tiled_mma.get_slice(0).make_fragment_C(mA)  # expect-evidence: P5
        cute.gemm(tiled_mma, tCrC, sA, sA, tCrC)


SGemm()(somewhere)
