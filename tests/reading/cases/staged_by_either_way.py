# What is stored is one of two tensors: which buffer it was staged in is not told, so none is left out.
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(mma: cute.TiledMma, gC: cute.Tensor, tCrC: cute.Tensor, whole: cutlass.Constexpr):
    smem = cutlass.utils.SmemAllocator()
    sC = smem.allocate_tensor(cutlass.Float16, cute.make_layout((128, 64)), 128)
    tCsC = mma.get_slice(0).partition_C(sC)
    cute.autovec_copy(tCrC, tCsC)  # expect: E1 staging
    cute.arch.sync_threads()
    direct = cute.make_rmem_tensor((8,), cutlass.Float16)
    if cutlass.const_expr(whole):
        rows = read_back(sC)
    else:
        rows = direct[None]
    cute.autovec_copy(rows, gC)


@cute.jit
def read_back(sC: cute.Tensor):
    out = cute.make_rmem_tensor((8,), cutlass.Float16)
    cute.autovec_copy(sC, out)
    return out
