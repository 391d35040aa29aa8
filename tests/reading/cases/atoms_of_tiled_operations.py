# What the atoms of tiled operations are made of.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync, warp

ATOMS = (2, 2, 1)
INSTRUCTION = (16, 8, 16)
BITS = 128


@cute.kernel
def kernel(a: cute.Tensor, by_rows: cutlass.Constexpr):
    op = warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, INSTRUCTION)
    permutation = (ATOMS[0] * INSTRUCTION[0], ATOMS[1] * INSTRUCTION[1] * 2, INSTRUCTION[2])
    mma = cute.make_tiled_mma(op, ATOMS, permutation)  # expect: D4 mma atoms=(2,2,1) permutation=(32,32,16)
    named = cute.make_tiled_mma(op, atom_layout_mnk=(4, 1, 1), permutation_mnk=(64, 16, 16))  # expect: D4 mma atoms=(4,1,1) permutation=(64,16,16)
    plain = cute.make_tiled_mma(op)  # expect: D4 mma instruction_mnk=(16,8,16)
    load = cute.make_copy_atom(  # expect: D3 copy bits=128
        cpasync.CopyG2SOp(cache_mode=cpasync.LoadCacheMode.GLOBAL), a.element_type, num_bits_per_copy=BITS)
    rows = warp.LdMatrix8x8x16bOp(by_rows != 0, 4)  # expect: D4 matrix-copy instruction=ldmatrix shape=8x8x16b matrices=4 transposed=true
    one = warp.LdMatrix16x16x8bOp(num_matrices=2)  # expect: D4 matrix-copy matrices=2 transposed=false shape=16x16x8b
    default = warp.LdMatrix8x8x16bOp()  # expect: D4 matrix-copy matrices=1 transposed=false
    out = warp.StMatrix8x8x16bOp(transpose=True, num_matrices=2)  # expect: E1 epilogue-step instruction=stmatrix matrices=2 transposed=true
    narrow = warp.StMatrix16x8x8bOp(num_matrices=4)  # expect: E1 matrix-copy instruction=stmatrix matrices=4
    cute.gemm(mma, a, a, a, a)


@cute.jit
def run(a: cute.Tensor):
    kernel(a, 1).launch(grid=(1, 1, 1), block=(128, 1, 1))


if __name__ == "__main__":
    run(None)
