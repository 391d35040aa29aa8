# An online softmax whose maxima carry no "max" in their names: reduced by a function bound to another name,
# kept by a store.
# expect-pattern: P4 present default_active kind=online_softmax
from functools import partial

import cutlass
import cutlass.cute as cute

exp2 = partial(cute.math.exp2, fastmath=True)
warp_fmax = partial(cute.arch.warp_redux_sync, kind="fmax", nan=True)


@cute.kernel
def kernel(tiled_mma: cute.TiledMma, tSrS: cute.Tensor, tSrL: cute.Tensor, steps: cutlass.Int32):
    tSrM = cute.make_rmem_tensor_like(tSrS)
    tSrM_prev = cute.make_rmem_tensor_like(tSrS)
    for s in cutlass.range(steps):
        cute.gemm(tiled_mma, tSrS, tSrL, tSrL, tSrS)
        for i in cutlass.range_constexpr(4):
            tSrM[i] = warp_fmax(tSrS[i])  # expect-evidence: P4
        correction = exp2(tSrM_prev.load() - tSrM.load())  # expect-evidence: P4
        tSrL.store(tSrL.load() * correction)
        tSrM_prev.store(tSrM.load())
