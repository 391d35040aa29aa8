"""RMSNorm y = x / sqrt(mean(x^2) + eps) * w over the rows of an M x N matrix, one CTA per row.

What it teaches
- A row reduction in two levels: a warp by shuffles, then the CTA through a few floats of shared memory.
- The row is read once: it stays in registers between the sum and the scaling, so the traffic is the compulsory one
  (read x, write y; w is shared by all rows and stays in L2).
- Predication of the last vectors of a row, with zero as the neutral element of the sum.
- Programmatic dependent launch, both halves: the launch attribute lets this grid start while its predecessor still
  runs, so the kernel must wait on the device (griddepcontrol_wait) before it reads x. The weights do not depend on the
  predecessor and are loaded before that wait. Without the wait the attribute is a race.

Constraints
- N must be a multiple of the vector length (128 bits) and at most 16 vectors per thread: 32,768 for 16-bit types.
- w has N elements; x, w and y have the same element type; sums are in float32.

To run this example:

    python examples/cute_dsl/rmsnorm.py --m 4096 --n 4096 --dtype bfloat16
    python examples/cute_dsl/rmsnorm.py --use_pdl --compile_only
"""

import operator
import sys

from common import DTYPES, argument_parser, finish  # before cutlass: it may choose the architecture

import cutlass
import cutlass.cute as cute
import cutlass.memory


VECTOR_BITS = 128


class RmsNorm:
    """One CTA normalises one row."""

    def __init__(self, eps, use_pdl):
        self.eps = eps
        self.use_pdl = use_pdl
        self.threads_per_cta = 256
        self.warps_per_cta = self.threads_per_cta // 32

    @cute.jit
    def __call__(self, x: cute.Tensor, w: cute.Tensor, y: cute.Tensor):
        self.dtype = x.element_type
        n = x.shape[1]
        vector = VECTOR_BITS // self.dtype.width
        vectors_per_thread = cute.ceil_div(n, vector * self.threads_per_cta)
        atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), self.dtype, num_bits_per_copy=VECTOR_BITS)
        tiled_copy = cute.make_tiled_copy_tv(
            atom, cute.make_layout((1, self.threads_per_cta)), cute.make_layout((1, vector))
        )
        row_tile = (1, vector * self.threads_per_cta * vectors_per_thread)
        # w as a 1 x N matrix, so that it is tiled exactly as a row of x.
        w_row = cute.make_tensor(w.iterator, cute.prepend(w.layout, cute.make_layout(1, stride=0)))
        self.kernel(x, w_row, y, row_tile, tiled_copy).launch(
            grid=[x.shape[0], 1, 1],
            block=[self.threads_per_cta, 1, 1],
            use_pdl=self.use_pdl,
        )

    @cute.kernel
    def kernel(
        self,
        mX: cute.Tensor,  # (M, N)
        mW: cute.Tensor,  # (1, N)
        mY: cute.Tensor,  # (M, N)
        row_tile: cutlass.Constexpr,
        tiled_copy: cute.TiledCopy,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        row, _, _ = cute.arch.block_idx()
        lane = cute.arch.lane_idx()
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        smem = cutlass.memory.SmemAllocator()
        sPartial = smem.allocate_tensor(cutlass.Float32, cute.make_layout(self.warps_per_cta), byte_alignment=16)

        thr_copy = tiled_copy.get_slice(tidx)
        coordinates = cute.make_identity_tensor(mX.shape)
        tXgX = thr_copy.partition_S(cute.local_tile(mX, row_tile, (row, 0)))  # (Vector, 1, Vectors)
        tXgW = thr_copy.partition_S(cute.local_tile(mW, row_tile, (0, 0)))
        tXgY = thr_copy.partition_D(cute.local_tile(mY, row_tile, (row, 0)))
        tXcX = thr_copy.partition_S(cute.local_tile(coordinates, row_tile, (row, 0)))
        tXrX = cute.make_fragment_like(tXgX)
        tXrW = cute.make_fragment_like(tXgW)
        tXrY = cute.make_fragment_like(tXgY)

        tXpX = cute.make_rmem_tensor((1, *tXcX.shape[1:]), cutlass.Boolean)
        for j in cutlass.range_constexpr(cute.size(tXcX, mode=[2])):
            tXpX[0, 0, j] = cute.elem_less(tXcX[0, 0, j], mX.shape)

        # The weights are nobody's output: load them before waiting for the previous grid.
        tXrW.fill(0)
        cute.copy(tiled_copy, tXgW, tXrW, pred=tXpX)
        if cutlass.const_expr(self.use_pdl):
            cute.arch.griddepcontrol_wait()
        tXrX.fill(0)  # neutral in the sum where the predicate is false
        cute.copy(tiled_copy, tXgX, tXrX, pred=tXpX)

        x = tXrX.load().to(cutlass.Float32)
        sum_of_squares = (x * x).reduce(cute.ReductionOp.ADD, cutlass.Float32(0.0), 0)
        sum_of_squares = cute.arch.warp_reduction(sum_of_squares, operator.add)
        if lane == 0:
            sPartial[warp_idx] = sum_of_squares
        cute.arch.sync_threads()
        total = cutlass.Float32(0.0)
        for i in cutlass.range_constexpr(self.warps_per_cta):
            total += sPartial[i]

        scale = cute.math.rsqrt(total / mX.shape[1] + self.eps, fastmath=True)
        y = x * scale * tXrW.load().to(cutlass.Float32)
        tXrY.store(y.to(self.dtype))
        cute.copy(tiled_copy, tXrY, tXgY, pred=tXpX)
        if cutlass.const_expr(self.use_pdl):
            cute.arch.griddepcontrol_launch_dependents()


def reference(eps):
    return lambda x, w: x / ((x * x).mean(dim=1, keepdim=True) + eps).sqrt() * w


def main():
    parser = argument_parser("RMSNorm, one CTA per row")
    parser.add_argument("--m", type=int, default=4096, help="rows")
    parser.add_argument("--n", type=int, default=4096, help="columns; a multiple of the vector length")
    parser.add_argument("--eps", type=float, default=1e-6, help="added to the mean of squares")
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="bfloat16", help="element type")
    parser.add_argument("--use_pdl", action="store_true", help="programmatic dependent launch (sm_90 and newer)")
    flags = parser.parse_args()
    dtype = DTYPES[flags.dtype]
    vector = VECTOR_BITS // dtype.width
    if flags.n % vector or flags.n > 256 * vector * 16:
        parser.error(f"--n must be a multiple of {vector} and at most {256 * vector * 16} for {flags.dtype}")
    tensors = [(dtype, (flags.m, flags.n)), (dtype, (flags.n,)), (dtype, (flags.m, flags.n))]
    return finish(
        flags, "rmsnorm", RmsNorm(flags.eps, flags.use_pdl), tensors, reference=reference(flags.eps)
    )


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
