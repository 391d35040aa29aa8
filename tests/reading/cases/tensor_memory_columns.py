# Which columns of tensor memory tensors take: from the pointer and the layout, in columns of 32 bits.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import OperandMajorMode, tcgen05

QUERY_TILE = 128


class Attention:
    def __init__(self):
        self.s1_offset = QUERY_TILE
        self.o_offset = 256
        self.p_offset = 32
        self.mma_warp = 4

    def operation(self, n):
        return tcgen05.MmaF16BF16Op(
            cutlass.Float16, cutlass.Float32, (128, n, 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM,
            OperandMajorMode.K, OperandMajorMode.K)

    @cute.jit
    def __call__(self, a: cute.Tensor, n: cutlass.Int32):
        self.kernel(cute.make_tiled_mma(self.operation(128)), n).launch(grid=(1, 1, 1), block=(192, 1, 1))

    def accumulator(self, mma, pointer, stages):
        shape = cute.append(mma.partition_shape_C((128, 64)), stages)
        tCtAcc = cute.make_tensor(pointer, mma.make_fragment_C(shape).layout)  # expect: D4 tensor-memory-tensor first_column=(384,448) columns=64
        return mma, tCtAcc

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, n: cutlass.Int32):
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        tmem = utils.TmemAllocator(None, barrier_for_retrieve=None)
        tmem.allocate(512)  # expect: D4 tensor-memory-allocation columns=512
        tmem.wait_for_alloc()
        base = tmem.retrieve_ptr(cutlass.Float32)
        tStS_fake = mma.make_fragment_C(mma.partition_shape_C((128, 128)))  # expect-none: D4 tensor-memory-tensor
        tStS0 = cute.make_tensor(base, tStS_fake.layout)  # expect: D4 tensor-memory-tensor first_column=0 columns=128 type=Float32 from=allocation layout=((128,128),1,1):((65536,1),0,0)
        tStS1 = cute.make_tensor(base + self.s1_offset, tStS_fake.layout)  # expect: D4 tensor-memory-tensor first_column=128 columns=128 formula=base+self.s1_offset says=columns128to255
        halves = cute.make_layout((128, 128), stride=(2 * 65536, 1))
        tOrP0 = cute.make_tensor(  # expect: D4 tensor-memory-tensor first_column=32 columns=64 type=Float16
            cute.recast_ptr(base + self.p_offset, dtype=cutlass.Float16), halves)
        tOrP1 = cute.make_tensor(  # expect: D4 tensor-memory-tensor first_column=160 columns=64
            cute.recast_ptr(tStS1.iterator, dtype=cutlass.Float16) + 2 * self.p_offset, halves)
        late = cute.make_tensor(base + warp, tStS_fake.layout)  # expect: D4 tensor-memory-tensor first_column=? columns=128
        shape_only = cute.make_tensor(base, cute.make_layout((128, 16), stride=(64, 1)))  # expect: D4 tensor-memory-tensor first_column=0 columns=?
        too_far = cute.make_tensor(base + 448, tStS_fake.layout)  # expect: D4 tensor-memory-tensor first_column=448 columns=?
        quarter = cute.make_tensor(base + 500, cute.make_layout((32, 4), stride=(65536, 1)))  # expect: D4 tensor-memory-tensor first_column=500 columns=4 lanes=32
        if warp == self.mma_warp:
            narrow = cute.make_tiled_mma(self.operation(64))
            _, tCtO = self.accumulator(narrow, base + (self.o_offset + 128), 1)  # expect: D4 tensor-memory-tensor first_column=384 columns=64
            _, tCtR = self.accumulator(narrow, tCtO.iterator + 64, 1)  # expect: D4 tensor-memory-tensor first_column=448 columns=64
            second = tStS1[(None, None), 0, 0]  # expect-none: D4 tensor-memory-tensor
            again = cute.make_tensor(second.iterator, tStS_fake.layout)  # expect: D4 tensor-memory-tensor first_column=128 columns=128
            cute.gemm(mma, tStS0, tOrP0, tOrP0, tStS0)
            cute.gemm(narrow, tCtO, tOrP1, late, tCtR)
            cute.gemm(narrow, again, shape_only, quarter, again)


@cute.kernel
def pooled():
    tmem = utils.TmemAllocator(None, barrier_for_retrieve=None)
    pool = tmem.reserve(256)
    layout = cute.make_layout((128, 96), stride=(65536, 1))
    first = pool.allocate_tensor(layout, cutlass.Float32)  # expect: D4 tensor-memory-tensor first_column=0 columns=96
    pointer = pool.allocate(16, cutlass.Float16)
    second = cute.make_tensor(pointer, cute.make_layout((128, 32), stride=(2 * 65536, 1)))  # expect: D4 tensor-memory-tensor first_column=96 columns=16
    third = pool.allocate_tensor(layout, cutlass.Float32)  # expect: D4 tensor-memory-tensor first_column=112 columns=96
    first.fill(second[0] + third[0])


@cute.jit
def run(a: cute.Tensor):
    pooled().launch(grid=(1, 1, 1), block=(128, 1, 1))


if __name__ == "__main__":
    Attention()(None, 3)
    run(None)
