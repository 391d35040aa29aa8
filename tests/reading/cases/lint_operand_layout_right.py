# Atoms tiled to the shape: K and MN major, the swizzle in the layout, beside it, or at a recast pointer. What a
# pointer that is not known points through cannot be told.
# expect-lint-passed: operand-layout
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import OperandMajorMode, warpgroup
from cutlass.cute.nvgpu.warpgroup import SmemLayoutAtomKind


@cute.kernel
def kernel(tiled_mma: cute.TiledMma, layout_a: cute.ComposedLayout, layout_b: cute.ComposedLayout, pointer):
    smem = utils.SmemAllocator()
    sA = smem.allocate_tensor(cutlass.Float16, layout_a.outer, 128, layout_a.inner)
    raw = smem.allocate_array(cutlass.Float16, 64 * 64)
    sB = cute.make_tensor(cute.recast_ptr(raw, layout_b.inner, cutlass.Float16), layout_b.outer)
    sV = cute.make_tensor(sA.iterator, layout_a.outer)
    sX = cute.make_tensor(pointer, layout_a.outer)
    part = tiled_mma.get_slice(0)
    tCrA = tiled_mma.make_fragment_A(part.partition_A(sA))  # expect: D4 operand-fragment descriptor_atom=K_SW128
    tCrV = tiled_mma.make_fragment_A(part.partition_A(sV))  # expect: D4 operand-fragment descriptor_atom=K_SW128
    tCrB = tiled_mma.make_fragment_B(part.partition_B(sB))  # expect: D4 operand-fragment descriptor_atom=MN_SW64
    tCrX = tiled_mma.make_fragment_B(part.partition_B(sX))  # expect: D4 operand-fragment descriptor_atom=?


@cute.jit
def host(pointer):
    op = warpgroup.MmaF16BF16Op(
        cutlass.Float16, cutlass.Float32, (64, 64, 16), warpgroup.OperandSource.SMEM,
        OperandMajorMode.K, OperandMajorMode.MN,
    )
    atom_a = warpgroup.make_smem_layout_atom(SmemLayoutAtomKind.K_SW128, cutlass.Float16)
    atom_b = warpgroup.make_smem_layout_atom(SmemLayoutAtomKind.MN_SW64, cutlass.Float16)
    layout_a = cute.tile_to_shape(atom_a, (64, 64), order=(0, 1))
    layout_b = cute.tile_to_shape(atom_b, (64, 64), order=(0, 1))
    kernel(cute.make_tiled_mma(op), layout_a, layout_b, pointer).launch(grid=[1, 1, 1], block=[128, 1, 1])


host(somewhere)
