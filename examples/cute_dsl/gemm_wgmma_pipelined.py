"""GEMM C = A * B^T on Hopper with one warpgroup: a multi-stage TMA ring that feeds wgmma (no specialised warps).

What it teaches
- The ring. `stages` buffers of A and B in shared memory, each guarded by a full and an empty mbarrier
  (PipelineTmaAsync). The stage count is what fits: capacity / bytes per stage.
- Who arrives. The full barrier completes by TMA's transaction bytes; the empty barrier needs one arrival of each of
  the four consumer warps.
- The prologue fills all stages but one; each iteration then computes on stage k and refills the stage that k - 1 left.
- wgmma is asynchronous: fence before the first, commit after each k tile, wait_group(1) leaves the youngest in flight,
  and only a tile whose wgmma is complete may be released.
- The drain: wait_group(0) after the loop, before the accumulators are read.

Constraints
- A is M x K, B is N x K, both K-major, float16 or bfloat16; C is M x N row-major; accumulation in float32.
- K and N must be multiples of 8 (TMA needs strides of 16 bytes; C is written with plain stores).
- tile_m is 64 or 128; tile_n is 64, 128 or 256. M, N and K need not be multiples of the tile: TMA reads zeros outside
  and the epilogue is predicated. Needs sm_90a.

To run this example:

    python examples/cute_dsl/gemm_wgmma_pipelined.py --mnk 2048,2048,2048
    python examples/cute_dsl/gemm_wgmma_pipelined.py --tile_mn 128,256 --compile_only
"""

import sys

from common import DTYPES, argument_parser, finish  # before cutlass: it may choose the architecture

import cutlass
import cutlass.cute as cute
import cutlass.memory
import cutlass.pipeline as pipeline
import cutlass.tensor_utils
import cutlass.utils.hopper_helpers as sm90_utils
from cutlass.cute.nvgpu import cpasync, warpgroup


class WgmmaPipelinedGemm:
    """One CTA of one warpgroup computes one tile of C."""

    def __init__(self, tile_mn):
        self.tile_mnk = (*tile_mn, 64)
        self.threads_per_cta = 128
        self.consumer_warps = self.threads_per_cta // 32
        self.acc_dtype = cutlass.Float32
        self.barrier_bytes = 1024  # kept free for mbarriers and alignment

    def stages_that_fit(self):
        """Buffers of (A tile + B tile) in the shared memory of one CTA."""
        tile_m, tile_n, tile_k = self.tile_mnk
        bytes_per_stage = (tile_m + tile_n) * tile_k * self.ab_dtype.width // 8
        capacity = cutlass.memory.get_smem_capacity_in_bytes("sm_90")
        return (capacity - self.barrier_bytes) // bytes_per_stage

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        self.ab_dtype = a.element_type
        self.c_dtype = c.element_type
        a_layout = cutlass.tensor_utils.LayoutEnum.from_tensor(a)
        b_layout = cutlass.tensor_utils.LayoutEnum.from_tensor(b)
        self.stages = self.stages_that_fit()

        tiled_mma = sm90_utils.make_trivial_tiled_mma(
            self.ab_dtype,
            self.ab_dtype,
            a_layout.sm90_mma_major_mode(),
            b_layout.sm90_mma_major_mode(),
            self.acc_dtype,
            (1, 1, 1),
            tiler_mn=(64, self.tile_mnk[1]),
        )
        a_smem_layout = sm90_utils.make_smem_layout_a(a_layout, self.tile_mnk, self.ab_dtype, self.stages)
        b_smem_layout = sm90_utils.make_smem_layout_b(b_layout, self.tile_mnk, self.ab_dtype, self.stages)

        tma_atom_a, tma_tensor_a = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(),
            a,
            cute.slice_(a_smem_layout, (None, None, 0)),
            (self.tile_mnk[0], self.tile_mnk[2]),
        )
        tma_atom_b, tma_tensor_b = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(),
            b,
            cute.slice_(b_smem_layout, (None, None, 0)),
            (self.tile_mnk[1], self.tile_mnk[2]),
        )

        @cute.struct
        class SharedStorage:
            mainloop_barriers: cute.struct.MemRange[cutlass.Int64, self.stages * 2]
            sA: cute.struct.Align[cute.struct.MemRange[self.ab_dtype, cute.cosize(a_smem_layout)], 1024]
            sB: cute.struct.Align[cute.struct.MemRange[self.ab_dtype, cute.cosize(b_smem_layout)], 1024]

        self.shared_storage = SharedStorage
        self.kernel(
            tma_atom_a,
            tma_tensor_a,
            tma_atom_b,
            tma_tensor_b,
            c,
            tiled_mma,
            a_smem_layout,
            b_smem_layout,
        ).launch(
            grid=[*cute.ceil_div(c.shape, self.tile_mnk[:2]), 1],
            block=[self.threads_per_cta, 1, 1],
            min_blocks_per_mp=1,
        )

    @cute.kernel
    def kernel(
        self,
        tma_atom_a: cute.CopyAtom,
        mA: cute.Tensor,  # (M, K)
        tma_atom_b: cute.CopyAtom,
        mB: cute.Tensor,  # (N, K)
        mC: cute.Tensor,  # (M, N)
        tiled_mma: cute.TiledMma,
        a_smem_layout: cute.ComposedLayout,
        b_smem_layout: cute.ComposedLayout,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        bidx, bidy, _ = cute.arch.block_idx()
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        if warp_idx == 0:
            cpasync.prefetch_descriptor(tma_atom_a)
            cpasync.prefetch_descriptor(tma_atom_b)

        smem = cutlass.memory.SmemAllocator()
        storage = smem.allocate(self.shared_storage)
        sA = storage.sA.get_tensor(a_smem_layout.outer, swizzle=a_smem_layout.inner)  # (BLK_M, BLK_K, STAGES)
        sB = storage.sB.get_tensor(b_smem_layout.outer, swizzle=b_smem_layout.inner)  # (BLK_N, BLK_K, STAGES)

        bytes_per_stage = cute.size_in_bytes(self.ab_dtype, cute.slice_(a_smem_layout, (None, None, 0)))
        bytes_per_stage += cute.size_in_bytes(self.ab_dtype, cute.slice_(b_smem_layout, (None, None, 0)))
        mainloop_pipeline = pipeline.PipelineTmaAsync.create(
            barrier_storage=storage.mainloop_barriers.data_ptr(),
            num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, self.consumer_warps),
            tx_count=bytes_per_stage,
            cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)),
        )

        gA = cute.local_tile(mA, (self.tile_mnk[0], self.tile_mnk[2]), (bidx, None))  # (BLK_M, BLK_K, k)
        gB = cute.local_tile(mB, (self.tile_mnk[1], self.tile_mnk[2]), (bidy, None))  # (BLK_N, BLK_K, k)
        gC = cute.local_tile(mC, self.tile_mnk[:2], (bidx, bidy))  # (BLK_M, BLK_N)
        tAsA, tAgA = cpasync.tma_partition(
            tma_atom_a, 0, cute.make_layout(1), cute.group_modes(sA, 0, 2), cute.group_modes(gA, 0, 2)
        )
        tBsB, tBgB = cpasync.tma_partition(
            tma_atom_b, 0, cute.make_layout(1), cute.group_modes(sB, 0, 2), cute.group_modes(gB, 0, 2)
        )

        thr_mma = tiled_mma.get_slice(tidx)
        tCrA = tiled_mma.make_fragment_A(thr_mma.partition_A(sA))  # descriptors, not registers
        tCrB = tiled_mma.make_fragment_B(thr_mma.partition_B(sB))
        tCgC = thr_mma.partition_C(gC)
        accumulators = cute.make_rmem_tensor(tCgC.shape, self.acc_dtype)

        k_tiles = cute.size(gA, mode=[2])
        k_blocks = cute.size(tCrA, mode=[2])
        producer_state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
        read_state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        release_state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)

        # Prologue: all stages but one.
        if warp_idx == 0:
            for _ in range(cutlass.min(self.stages - 1, k_tiles)):
                mainloop_pipeline.producer_acquire(producer_state)
                full_barrier = mainloop_pipeline.producer_get_barrier(producer_state)
                cute.copy(
                    tma_atom_a,
                    tAgA[None, producer_state.count],
                    tAsA[None, producer_state.index],
                    tma_bar_ptr=full_barrier,
                )
                cute.copy(
                    tma_atom_b,
                    tBgB[None, producer_state.count],
                    tBsB[None, producer_state.index],
                    tma_bar_ptr=full_barrier,
                )
                mainloop_pipeline.producer_commit(producer_state)
                producer_state.advance()

        tiled_mma.set(warpgroup.Field.ACCUMULATE, False)
        warpgroup.fence()
        for k_tile in range(k_tiles):
            mainloop_pipeline.consumer_wait(read_state)
            for k_block in cutlass.range_constexpr(k_blocks):
                coordinate = (None, None, k_block, read_state.index)
                cute.gemm(tiled_mma, accumulators, tCrA[coordinate], tCrB[coordinate], accumulators)
                tiled_mma.set(warpgroup.Field.ACCUMULATE, True)
            warpgroup.commit_group()
            read_state.advance()

            # At most this tile's wgmma is still in flight: the one before is complete, its buffer may go.
            warpgroup.wait_group(1)
            if k_tile > 0:
                mainloop_pipeline.consumer_release(release_state)
                release_state.advance()

            # Refill the free stage while tiles remain; past the end there is nothing to load.
            if warp_idx == 0 and producer_state.count < k_tiles:
                mainloop_pipeline.producer_acquire(producer_state)
                full_barrier = mainloop_pipeline.producer_get_barrier(producer_state)
                cute.copy(
                    tma_atom_a,
                    tAgA[None, producer_state.count],
                    tAsA[None, producer_state.index],
                    tma_bar_ptr=full_barrier,
                )
                cute.copy(
                    tma_atom_b,
                    tBgB[None, producer_state.count],
                    tBsB[None, producer_state.index],
                    tma_bar_ptr=full_barrier,
                )
                mainloop_pipeline.producer_commit(producer_state)
                producer_state.advance()

        # Drain, then store from registers where the coordinate lies inside C.
        warpgroup.wait_group(0)
        coordinates = cute.local_tile(cute.make_identity_tensor(mC.shape), self.tile_mnk[:2], (bidx, bidy))
        tCcC = thr_mma.partition_C(coordinates)
        tCrC = cute.make_fragment_like(accumulators, self.c_dtype)
        tCrC.store(accumulators.load().to(self.c_dtype))
        for i in cutlass.range_constexpr(cute.size(tCrC)):
            if cute.elem_less(tCcC[i], mC.shape):
                tCgC[i] = tCrC[i]


def pair(text):
    return tuple(int(word) for word in text.split(","))


def main():
    parser = argument_parser("C = A * B^T with a TMA ring and wgmma, one warpgroup per CTA")
    parser.add_argument("--mnk", type=pair, default=(2048, 2048, 2048), help="problem size M,N,K")
    parser.add_argument("--tile_mn", type=pair, default=(128, 128), help="tile of C per CTA")
    parser.add_argument("--dtype", choices=["float16", "bfloat16"], default="float16", help="type of A, B and C")
    flags = parser.parse_args()
    m, n, k = flags.mnk
    if n % 8 or k % 8:
        parser.error("N and K must be multiples of 8")
    if flags.tile_mn[0] not in (64, 128) or flags.tile_mn[1] not in (64, 128, 256):
        parser.error("--tile_mn: M is 64 or 128, N is 64, 128 or 256")
    dtype = DTYPES[flags.dtype]
    tensors = [(dtype, (m, k)), (dtype, (n, k)), (dtype, (m, n))]
    kernel = WgmmaPipelinedGemm(flags.tile_mn)
    return finish(flags, "gemm_wgmma_pipelined", kernel, tensors, reference=lambda a, b: a @ b.T)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
