# The first warp reduces, all threads meet, and all of them store: no role of its own.
import cutlass.cute as cute


@cute.kernel
def kernel(mLse: cute.Tensor, mOut: cute.Tensor, scale):
    tidx, _, _ = cute.arch.thread_idx()
    warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp_idx == 0:  # expect: D1 role rejoins=true elected=false
        total = 0.0
        for i in range(8):
            total = cute.arch.fmax(total, scale[i])
        mLse[0] = total  # expect-role: warp_idx == 0
    cute.arch.sync_threads()
    for i in range(8):
        mOut[tidx + i * 128] = scale[i]


@cute.kernel
def multiplies(mma, mOut: cute.Tensor, scale):
    tidx, _, _ = cute.arch.thread_idx()
    warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp_idx == 0:  # expect: D1 role rejoins=true
        for k in range(8):
            cute.gemm(mma, scale, scale, scale, scale)  # expect-role: mma
    cute.arch.sync_threads()
    mOut[tidx] = scale[0]


@cute.kernel
def told_apart(mLse: cute.Tensor, mOut: cute.Tensor, scale):
    tidx, _, _ = cute.arch.thread_idx()
    warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp_idx == 0:  # expect: D1 role elected=false
        total = 0.0
        for i in range(8):
            total = cute.arch.fmax(total, scale[i])
        mLse[0] = total  # expect-role: epilogue
    mOut[tidx] = scale[0]
