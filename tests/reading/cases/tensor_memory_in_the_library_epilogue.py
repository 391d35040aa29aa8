# The library's epilogue copies what lies in tensor memory: how is not followed.
# expect-pattern: P5 present default_active tmem_to_rmem=?
import cutlass.cute as cute
import cutlass.utils as utils


@cute.kernel
def kernel(self, tmem_ptr, layout, tma_atom_c, sC, gC, state):
    tCtAcc = cute.make_tensor(tmem_ptr, layout)
    state = utils.gemm.sm100.epilogue_tma_store(self, 0, 0, tma_atom_c, tCtAcc, sC, gC, None, state)
