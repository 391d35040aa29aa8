"""Elementwise addition c = a + b of two M x N row-major matrices, Ampere style.

What it teaches
- A thread-value layout: 8 x 32 threads, each with two rows of one 16-byte vector, cover one CTA's tile.
- zipped_divide: one division gives ((TileM, TileN), (RestM, RestN)), so a CTA picks its tile with one index.
- Predication: the same tiling applied to an identity tensor gives the coordinate of every element; a vector is loaded
  and stored only when its first coordinate lies inside the matrix. Nothing here is asynchronous and nothing is shared.

Constraints
- a, b and c have the same shape and element type; rows are contiguous.
- N must be a multiple of the vector length (128 bits: 8 elements of float16, 4 of float32). M is free.
- Pointers are aligned to 16 bytes.

To run this example:

    python examples/cute_dsl/elementwise_add.py --m 1000 --n 4096 --dtype float16
    python examples/cute_dsl/elementwise_add.py --compile_only
"""

import sys

from common import DTYPES, argument_parser, finish  # before cutlass: it may choose the architecture

import cutlass
import cutlass.cute as cute


VECTOR_BITS = 128


@cute.kernel
def add_kernel(
    gA: cute.Tensor,  # ((TileM, TileN), (RestM, RestN))
    gB: cute.Tensor,
    gC: cute.Tensor,
    cC: cute.Tensor,  # coordinates of c, tiled the same way
    shape: cute.Shape,
    tiled_copy: cute.TiledCopy,
):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    block = ((None, None), bidx)

    # This thread's part of the tile: ((Vector, VectorsPerThread), 1, 1)
    thr_copy = tiled_copy.get_slice(tidx)
    tAgA = thr_copy.partition_S(gA[block])
    tBgB = thr_copy.partition_S(gB[block])
    tCgC = thr_copy.partition_D(gC[block])
    tCcC = thr_copy.partition_D(cC[block])

    tArA = cute.make_fragment_like(tAgA)
    tBrB = cute.make_fragment_like(tBgB)
    tCrC = cute.make_fragment_like(tCgC)

    # One predicate per vector: N is a multiple of the vector length, so a vector is inside as a whole or not at all.
    # Mode 0 of a partition is (Vector, VectorsPerThread): the two rows that each thread holds.
    tCpC = cute.make_rmem_tensor((cute.size(tCcC, mode=[0, 1]), *tCcC.shape[1:]), cutlass.Boolean)
    for v in cutlass.range_constexpr(cute.size(tCcC, mode=[0, 1])):
        tCpC[v, 0, 0] = cute.elem_less(tCcC[(0, v), 0, 0], shape)

    cute.copy(tiled_copy, tAgA, tArA, pred=tCpC)
    cute.copy(tiled_copy, tBgB, tBrB, pred=tCpC)
    tCrC.store(tArA.load() + tBrB.load())
    cute.copy(tiled_copy, tCrC, tCgC, pred=tCpC)


@cute.jit
def elementwise_add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    vector = VECTOR_BITS // a.element_type.width
    thr_layout = cute.make_ordered_layout((8, 32), order=(1, 0))
    val_layout = cute.make_ordered_layout((2, vector), order=(1, 0))
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), a.element_type, num_bits_per_copy=VECTOR_BITS)
    tiled_copy = cute.make_tiled_copy_tv(atom, thr_layout, val_layout)

    tiler = tiled_copy.tiler_mn
    gA = cute.zipped_divide(a, tiler)
    gB = cute.zipped_divide(b, tiler)
    gC = cute.zipped_divide(c, tiler)
    cC = cute.zipped_divide(cute.make_identity_tensor(c.shape), tiler)

    add_kernel(gA, gB, gC, cC, c.shape, tiled_copy).launch(
        grid=[cute.size(gC, mode=[1]), 1, 1],
        block=[cute.size(thr_layout), 1, 1],
    )


def main():
    parser = argument_parser("c = a + b with vector loads and predication")
    parser.add_argument("--m", type=int, default=1000, help="rows")
    parser.add_argument("--n", type=int, default=4096, help="columns; a multiple of the vector length")
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="float16", help="element type")
    flags = parser.parse_args()
    dtype = DTYPES[flags.dtype]
    if flags.n % (VECTOR_BITS // dtype.width):
        parser.error(f"--n must be a multiple of {VECTOR_BITS // dtype.width} for {flags.dtype}")
    tensors = [(dtype, (flags.m, flags.n))] * 3
    return finish(flags, "elementwise_add", elementwise_add, tensors, reference=lambda a, b: a + b)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
