"""Scaled copy out = alpha * in of an M x N row-major matrix through shared memory, both ways by TMA (Hopper).

What it teaches
- The two halves of TMA do not complete the same way. A load reports to an mbarrier: set the expected bytes, issue the
  copy from one thread, wait for the phase. A store has no barrier: its completion is asked for with a commit group.
- The proxy rule. TMA reads shared memory through the async proxy, ordinary stores write it through the generic proxy:
  fence (generic before async), then a barrier among all writers, and only then may one thread issue the store.
- wait_group(0, read=True) before the buffer may be used again or the CTA may leave.
- TMA clips at the matrix edge by itself: out-of-range elements are read as zero and never written.

Constraints
- N * bytes per element must be a multiple of 16 (TMA strides). M and N need not be multiples of the tile.
- Each extent of the tile is at most 256 elements (TMA box).
- Needs sm_90 or newer.

To run this example:

    python examples/cute_dsl/tma_copy.py --m 1000 --n 2000 --alpha 2.0
    python examples/cute_dsl/tma_copy.py --compile_only
"""

import sys

from common import DTYPES, argument_parser, finish  # before cutlass: it may choose the architecture

import cutlass
import cutlass.cute as cute
import cutlass.memory
from cutlass.cute.nvgpu import cpasync


class TmaScaledCopy:
    """One CTA moves one tile: TMA load, scale in shared memory, TMA store."""

    def __init__(self, tile_mn, alpha):
        self.tile_mn = tile_mn
        self.alpha = alpha
        self.threads_per_cta = 128

    @cute.jit
    def __call__(self, src: cute.Tensor, dst: cute.Tensor):
        self.dtype = src.element_type
        smem_layout = cute.make_ordered_layout(self.tile_mn, order=(1, 0))
        self.tile_bytes = cute.size_in_bytes(self.dtype, smem_layout)

        tma_load, tma_src = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(), src, smem_layout, self.tile_mn
        )
        tma_store, tma_dst = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(), dst, smem_layout, self.tile_mn
        )

        @cute.struct
        class SharedStorage:
            full_barrier: cute.struct.MemRange[cutlass.Int64, 1]
            tile: cute.struct.Align[cute.struct.MemRange[self.dtype, cute.cosize(smem_layout)], 128]

        self.shared_storage = SharedStorage
        self.kernel(tma_load, tma_src, tma_store, tma_dst, smem_layout).launch(
            grid=[*cute.ceil_div(src.shape, self.tile_mn), 1],
            block=[self.threads_per_cta, 1, 1],
        )

    @cute.kernel
    def kernel(
        self,
        tma_load: cute.CopyAtom,
        mSrc: cute.Tensor,
        tma_store: cute.CopyAtom,
        mDst: cute.Tensor,
        smem_layout: cute.Layout,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        bidx, bidy, _ = cute.arch.block_idx()
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())

        smem = cutlass.memory.SmemAllocator()
        storage = smem.allocate(self.shared_storage)
        full_barrier = storage.full_barrier.data_ptr()
        sTile = storage.tile.get_tensor(smem_layout)

        gSrc = cute.local_tile(mSrc, self.tile_mn, (bidx, bidy))
        gDst = cute.local_tile(mDst, self.tile_mn, (bidx, bidy))
        tSsS, tSgS = cpasync.tma_partition(
            tma_load, 0, cute.make_layout(1), cute.group_modes(sTile, 0, 2), cute.group_modes(gSrc, 0, 2)
        )
        tDsD, tDgD = cpasync.tma_partition(
            tma_store, 0, cute.make_layout(1), cute.group_modes(sTile, 0, 2), cute.group_modes(gDst, 0, 2)
        )

        # Load. One arrival (the thread that also announces the bytes) completes the barrier's pending count.
        if warp_idx == 0:
            with cute.arch.elect_one():
                cute.arch.mbarrier_init(full_barrier, 1)
                cute.arch.mbarrier_init_fence()
                cute.arch.mbarrier_arrive_and_expect_tx(full_barrier, self.tile_bytes)
            cute.copy(tma_load, tSgS, tSsS, tma_bar_ptr=full_barrier)
        cute.arch.sync_threads()  # nobody may wait on a barrier that is not initialised yet
        cute.arch.mbarrier_wait(full_barrier, 0)

        # Scale in place, through the generic proxy.
        flat = cute.make_tensor(sTile.iterator, cute.make_layout(cute.size(smem_layout)))
        for i in range(tidx, cute.size(smem_layout), self.threads_per_cta):
            flat[i] = (flat[i].to(cutlass.Float32) * self.alpha).to(self.dtype)

        # Store: fence, barrier, issue, commit, wait.
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()
        if warp_idx == 0:
            cute.copy(tma_store, tDsD, tDgD)
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0, read=True)


def main():
    parser = argument_parser("out = alpha * in, loaded and stored by TMA")
    parser.add_argument("--m", type=int, default=1000, help="rows")
    parser.add_argument("--n", type=int, default=2000, help="columns; rows must be a multiple of 16 bytes")
    parser.add_argument("--tile_m", type=int, default=64, help="rows of one tile, at most 256")
    parser.add_argument("--tile_n", type=int, default=128, help="columns of one tile, at most 256")
    parser.add_argument("--alpha", type=float, default=2.0, help="scale")
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="float16", help="element type")
    flags = parser.parse_args()
    dtype = DTYPES[flags.dtype]
    if flags.n * dtype.width // 8 % 16:
        parser.error("a row must be a multiple of 16 bytes: TMA takes no other stride")
    if max(flags.tile_m, flags.tile_n) > 256:
        parser.error("a TMA box has at most 256 elements in each mode")
    kernel = TmaScaledCopy((flags.tile_m, flags.tile_n), flags.alpha)
    tensors = [(dtype, (flags.m, flags.n))] * 2
    return finish(flags, "tma_copy", kernel, tensors, reference=lambda x: flags.alpha * x)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
