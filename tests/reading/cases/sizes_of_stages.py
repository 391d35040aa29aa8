# What a stage takes is no number of stages; a multiply says what it takes; a module is no subject.
import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self):
        self.atom_layout_mnk = (2, 1, 1)
        ab_bytes_per_stage = 128 * 64 * 2 + 64  # expect: H3 stage-size bytes=16448
        self.num_ab_stage = 200000 // ab_bytes_per_stage  # expect: H3 stages stages=12

    @cute.kernel
    def kernel(self, tiled_mma: cute.TiledMma, layout: cute.Layout):
        smem = cutlass.utils.SmemAllocator()
        sV = smem.allocate_tensor(cutlass.Float16, layout)
        sVt = cute.composition(sV, cute.make_layout((64, 32), stride=(32, 1)))  # expect: H3 view of=sV
        acc = tiled_mma.make_fragment_C((64, 64))
        tCrC = tiled_mma.make_fragment_C((64, 64))
        tCrC.fill(0.0)  # expect: D4 accumulator-zero
        cute.gemm(tiled_mma, tCrC, sV[None, 0], sVt[None, 0], tCrC)
        cute.gemm(tiled_mma, acc, sV[None, 0], sVt[None, 0], acc)  # expect: D4 gemm a=sV[None,0] b=sVt[None,0] accumulators=acc mma=tiled_mma
