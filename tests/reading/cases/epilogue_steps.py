"""Three atoms and one copy: how C lies in the threads, the store's atom, the copy that joins them, and what each carries."""
# expect-pattern: P8 present kind=smem_tma_store
import cutlass
import cutlass.cute as cute
import cutlass.utils.hopper_helpers as sm90_utils


@cute.kernel
def kernel(tiled_mma: cute.TiledMma, tma_atom_c: cute.CopyAtom, sC: cute.Tensor, gC: cute.Tensor, c_layout: cutlass.Constexpr):
    accumulators = tiled_mma.make_fragment_C((4, 2))
    copy_atom_r2s = sm90_utils.sm90_get_smem_store_op(c_layout, elem_ty_d=cutlass.Float16, elem_ty_acc=cutlass.Float32)  # expect: E1 epilogue-step says=storesregisterstosharedmemory
    copy_atom_C = cute.make_copy_atom(cute.nvgpu.warp.StMatrix8x8x16bOp(False, 4), cutlass.Float16)  # expect: E1 epilogue-step
    tiled_copy_C_atom = cute.make_tiled_copy_C_atom(copy_atom_C, tiled_mma)  # expect: E1 epilogue-step says=howtheaccumulator'svalueslieoverthreads
    tiled_copy_r2s = cute.make_tiled_copy_S(copy_atom_r2s, tiled_copy_C_atom)  # expect: E1 epilogue-step says=laidoverthethreadsthatholdthesource
    tRS_rAcc = tiled_copy_r2s.retile(accumulators)  # expect: E1 epilogue-step says=registersseeninthelayoutofthecopy
    tRS_sC = tiled_copy_r2s.get_slice(0).partition_D(sC)
    cute.copy(tiled_copy_r2s, tRS_rAcc, tRS_sC)  # expect: E1 staging
    cute.arch.fence_proxy("async.shared", space="cta")
    cute.copy(tma_atom_c, sC, gC)  # expect: E1 store type=smem_tma_store
    cute.arch.cp_async_bulk_commit_group()
    cute.arch.cp_async_bulk_wait_group(0)
