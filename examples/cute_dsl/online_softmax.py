"""Softmax over the rows of an M x N matrix in one streaming pass for the statistics: running maximum and running sum.

What it teaches
- The online recurrence. With m the maximum and s the sum of exp(x - m) so far, a new block with maximum b gives
  m' = max(m, b) and s' = s * exp(m - m') + sum(exp(x - m')). Nothing of the row has to be kept.
- Merging two (m, s) pairs is the same recurrence; it combines the lanes of a warp by shuffles.
- exp2 with the factor log2(e) folded into one fused multiply-add per element, as the hardware has only exp2.
- Masking: a lane past the end of the row contributes -inf to the maximum and 0 to the sum; a row block without any
  valid element must not produce exp(-inf - -inf).

Constraints
- Any M and N. One warp owns one row; statistics are in float32. The row is read twice (statistics, output).

To run this example:

    python examples/cute_dsl/online_softmax.py --m 1000 --n 3000
    python examples/cute_dsl/online_softmax.py --compile_only
"""

import math
import sys

from common import DTYPES, argument_parser, finish  # before cutlass: it may choose the architecture

import cutlass
import cutlass.cute as cute


LOG2_E = math.log2(math.e)


class OnlineSoftmax:
    """Four warps per CTA, one row per warp, `columns_per_step` columns per iteration."""

    def __init__(self):
        self.warps_per_cta = 4
        self.elements_per_lane = 4
        self.columns_per_step = 32 * self.elements_per_lane

    @cute.jit
    def __call__(self, x: cute.Tensor, y: cute.Tensor):
        self.kernel(x, y).launch(
            grid=[cute.ceil_div(x.shape[0], self.warps_per_cta), 1, 1],
            block=[32 * self.warps_per_cta, 1, 1],
        )

    @cute.jit
    def merge(self, row_max, row_sum, other_max, other_sum):
        """The (max, sum) of two parts of a row. Sums are rescaled to the common maximum; an empty part has max -inf."""
        new_max = cute.arch.fmax(row_max, other_max)
        # exp2(-inf - -inf) would be NaN: an empty pair keeps the reference point 0.
        reference = new_max if new_max > -cutlass.Float32.inf else cutlass.Float32(0.0)
        rescaled = row_sum * cute.math.exp2((row_max - reference) * LOG2_E, fastmath=True)
        rescaled += other_sum * cute.math.exp2((other_max - reference) * LOG2_E, fastmath=True)
        return new_max, rescaled

    @cute.kernel
    def kernel(self, mX: cute.Tensor, mY: cute.Tensor):
        lane = cute.arch.lane_idx()
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        bidx, _, _ = cute.arch.block_idx()
        row = bidx * self.warps_per_cta + warp_idx
        columns = mX.shape[1]

        if row < mX.shape[0]:
            row_max = -cutlass.Float32.inf
            row_sum = cutlass.Float32(0.0)
            values = cute.make_rmem_tensor(self.elements_per_lane, cutlass.Float32)

            # Streaming pass: one block of columns at a time, statistics per lane.
            for start in range(0, columns, self.columns_per_step):
                block_max = -cutlass.Float32.inf
                for i in cutlass.range_constexpr(self.elements_per_lane):
                    column = start + i * 32 + lane
                    values[i] = -cutlass.Float32.inf
                    if column < columns:  # mask the tail of the row
                        values[i] = mX[row, column].to(cutlass.Float32)
                    block_max = cute.arch.fmax(block_max, values[i])
                block_sum = cutlass.Float32(0.0)
                if block_max > -cutlass.Float32.inf:
                    for i in cutlass.range_constexpr(self.elements_per_lane):
                        block_sum += cute.math.exp2((values[i] - block_max) * LOG2_E, fastmath=True)
                row_max, row_sum = self.merge(row_max, row_sum, block_max, block_sum)

            # Combine the 32 lanes: five exchange steps, each the same recurrence.
            for step in cutlass.range_constexpr(5):
                other_max = cute.arch.shuffle_sync_bfly(row_max, offset=1 << step)
                other_sum = cute.arch.shuffle_sync_bfly(row_sum, offset=1 << step)
                row_max, row_sum = self.merge(row_max, row_sum, other_max, other_sum)

            inverse = cute.arch.rcp_approx(row_sum)
            for start in range(0, columns, 32):
                column = start + lane
                if column < columns:
                    value = mX[row, column].to(cutlass.Float32)
                    probability = cute.math.exp2((value - row_max) * LOG2_E, fastmath=True) * inverse
                    mY[row, column] = probability.to(mY.element_type)


def main():
    parser = argument_parser("softmax with a running maximum and sum, one warp per row")
    parser.add_argument("--m", type=int, default=1000, help="rows")
    parser.add_argument("--n", type=int, default=3000, help="columns")
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="float32", help="element type")
    flags = parser.parse_args()
    tensors = [(DTYPES[flags.dtype], (flags.m, flags.n))] * 2
    return finish(flags, "online_softmax", OnlineSoftmax(), tensors, reference=lambda x: x.softmax(dim=1))


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
