# The accumulator lies in tensor memory: brought to registers, multiplied by the correction in pairs, put back. The
# correction is made in pairs too. A second kernel multiplies by a name that means another thing there.
# expect-pattern: P4 present default_active kind=online_softmax
# expect-pattern: P5 present acc_rescale=true tmem_to_rmem=true rmem_to_tmem=true
from functools import partial

import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05

exp2 = partial(cute.math.exp2, fastmath=True)
fadd2 = partial(cute.arch.add_packed_f32x2)
fmul2 = partial(cute.arch.mul_packed_f32x2)
ffma2 = partial(cute.arch.fma_packed_f32x2)
warp_fmax = partial(cute.arch.warp_redux_sync, kind="fmax")


@cute.kernel
def attend(mma: cute.TiledMma, tSrS: cute.Tensor, tSrL: cute.Tensor, holding: cute.Tensor, steps: cutlass.Int32):
    tmem_ptr = cute.arch.retrieve_tmem_ptr(cutlass.Float32, 16, holding.iterator)
    tCtO = cute.make_tensor(tmem_ptr, cute.make_layout((128, 8)))
    width = tcgen05.Repetition(32 // 4)
    load_op = tcgen05.Ld32x32bOp(width)  # expect: D4 tmem-copy repeat=8
    load = tcgen05.make_tmem_copy(cute.make_copy_atom(load_op, cutlass.Float32), tCtO)
    store = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition.x8), cutlass.Float32), tCtO)
    rows = load.get_slice(0)
    tStO = rows.partition_S(tCtO)
    tSrM = cute.make_rmem_tensor_like(tSrS)
    tSrM_prev = cute.make_rmem_tensor_like(tSrS)
    for s in cutlass.range(steps):
        cute.gemm(mma, tCtO, tSrS, tSrS, tCtO)
        for i in cutlass.range_constexpr(8):
            tSrM[i] = warp_fmax(tSrS[i])  # expect-evidence: P4
        correction = cute.make_rmem_tensor_like(tSrM)
        for i in cutlass.range_constexpr(0, 8, 2):
            moved = fadd2((tSrM_prev[i], tSrM_prev[i + 1]), (-tSrM[i], -tSrM[i + 1]))
            moved = fmul2(moved, (1.44, 1.44))  # expect-no-evidence: P4
            moved = (exp2(moved[0]), exp2(moved[1]))  # expect-evidence: P4
            correction[i] = moved[0]
            correction[i + 1] = moved[1]
            sums = ffma2(moved, (tSrL[i], tSrL[i + 1]), (tSrS[i], tSrS[i + 1]))  # expect-evidence: P4
            tSrL[i] = sums[0]
            tSrL[i + 1] = sums[1]
        part = cute.make_rmem_tensor_like(tSrS)
        cute.copy(rows, tStO, part)
        for i in cutlass.range_constexpr(0, 8, 2):
            pair = fmul2((part[i], part[i + 1]), (correction[i], correction[i + 1]))  # expect-evidence: P4
            part[i] = pair[0]
            part[i + 1] = pair[1]
        cute.copy(store, part, tStO)
        tSrM_prev.store(tSrM.load())


@cute.kernel
def combine(partials: cute.Tensor, largest: cute.Tensor, out: cute.Tensor):
    m = largest[0]
    total = cutlass.Float32(0)
    for i in cutlass.range(4):
        correction = exp2(partials[i] - m)  # expect-no-evidence: P4
        total += correction * partials[i]  # expect-no-evidence: P4
    out[0] = total
