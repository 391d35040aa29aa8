# The tile goes through shared memory so that each thread stores whole lines: what the registers of the store were
# filled from is staged output too. What threads exchange besides is none.
# expect-pattern: P8 present default_active kind=direct_store
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(mma: cute.TiledMma, gC: cute.Tensor, gP: cute.Tensor, tCrC: cute.Tensor, found: cute.Tensor, fits: cute.Tensor, even: cutlass.Constexpr):
    smem = cutlass.utils.SmemAllocator()
    sC = smem.allocate_tensor(cutlass.Float16, cute.make_layout((128, 64)), 128)
    sScale = smem.allocate_tensor(cutlass.Float32, cute.make_layout(128), 128)
    thread = mma.get_slice(0)
    tCsC = thread.partition_C(sC)
    tSs = thread.partition_C(sScale)
    cute.autovec_copy(found, tSs)  # expect-no-evidence: P8
    cute.autovec_copy(tCrC, tCsC)  # expect: E1 staging
    cute.arch.sync_threads()
    rows = cute.make_rmem_tensor((8,), cutlass.Float16)
    cute.autovec_copy(sC[None, 0], rows)
    out = cute.make_rmem_tensor((8,), cutlass.BFloat16)
    out.store(rows.load().to(cutlass.BFloat16))
    for k in cutlass.range_constexpr(8):
        if cutlass.const_expr(even) or fits[k]:
            cute.autovec_copy(out, gC[None, k])  # expect-evidence: P8
