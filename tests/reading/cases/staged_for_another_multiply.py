# Two tiles are written to shared memory: one is the operand of a second multiply, the other is what the store reads.
# A flag that is reset is no output.
# expect-pattern: P8 present kind=smem_tma_store
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(mma: cute.TiledMma, tma_atom_o: cute.CopyAtom, mO: cute.Tensor, tCrP: cute.Tensor, tCrO: cute.Tensor, flag: cute.Tensor):
    smem = cutlass.utils.SmemAllocator()
    sP = smem.allocate_tensor(cutlass.BFloat16, cute.make_layout((128, 64)), 128)
    sO = smem.allocate_tensor(cutlass.BFloat16, cute.make_layout((128, 64)), 128)
    thread = mma.get_slice(0)
    tCsP = thread.partition_C(sP)
    tCsO = thread.partition_C(sO)
    tOsO, tOgO = cpasync.tma_partition(
        tma_atom_o, 0, cute.make_layout(1), smem_tensor=cute.group_modes(sO, 0, 2), gmem_tensor=cute.group_modes(mO, 0, 2)
    )
    for i in cutlass.range(4):
        cute.autovec_copy(tCrP, tCsP)  # expect-no-evidence: P8
    cute.autovec_copy(tCrO, tCsO)  # expect: E1 staging
    cute.arch.fence_view_async_shared()
    cute.copy(tma_atom_o, tOsO[None, 0], tOgO[None, 0])  # expect-evidence: P8
    flag[0] = 0  # expect-no-evidence: P8
