# Another warpgroup's maxima come through memory: only what happens to the part of tensor memory, brought to registers,
# multiplied by an exponential and put back, says that accumulators are rescaled.
# expect-pattern: P5 present acc_rescale=true
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05


@cute.jit
def rescale(tOtO: cute.Tensor, pair: cute.Tensor, tidx: cutlass.Int32):
    load = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x16), cutlass.Float32), tOtO)
    store = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition.x16), cutlass.Float32), tOtO)
    held = load.get_slice(tidx).partition_S(tOtO)
    put = store.get_slice(tidx).partition_D(tOtO)
    part = cute.make_rmem_tensor((16, 4), cutlass.Float32)
    scale = cute.math.exp2(pair[0] - pair[1])
    for i in cutlass.range_constexpr(4):
        one = part[None, i]
        cute.copy(load, cute.make_tensor(held.iterator + i * 16, held.layout), one)
        for j in range(0, 16, 2):
            one[j], one[j + 1] = cute.arch.mul_packed_f32x2((one[j], one[j + 1]), (scale, scale))  # expect-evidence: P5
        cute.copy(store, one, cute.make_tensor(put.iterator + i * 16, put.layout))


@cute.kernel
def kernel(mma: cute.TiledMma, a: cute.Tensor, tOtO: cute.Tensor, pair: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    cute.gemm(mma, tOtO, a, a, tOtO)
    rescale(tOtO, pair, tidx)
