"""Every thread's A and B is the whole tile: wgmma reads them through descriptors. Only what comes from registers is spread."""
import cutlass
import cutlass.cute as cute
import cutlass.utils.hopper_helpers as sm90_utils
from cutlass.cute.nvgpu import warpgroup


@cute.jit
def run():
    both = sm90_utils.make_trivial_tiled_mma(  # expect: D4 mma family=wgmma operands=AandBthroughdescriptors(threadstride0),Coverthethreads
        cutlass.Float16, cutlass.Float16, warpgroup.OperandMajorMode.K, warpgroup.OperandMajorMode.K,
        cutlass.Float32, atom_layout_mnk=(1, 1, 1), tiler_mn=(64, 64),
    )
    from_registers = sm90_utils.make_trivial_tiled_mma(  # expect: D4 mma family=wgmma operands=AandCoverthethreads,Bthroughadescriptor(threadstride0)
        cutlass.Float16, cutlass.Float16, warpgroup.OperandMajorMode.K, warpgroup.OperandMajorMode.K,
        cutlass.Float32, atom_layout_mnk=(1, 1, 1), tiler_mn=(64, 64), a_source=warpgroup.OperandSource.RMEM,
    )
