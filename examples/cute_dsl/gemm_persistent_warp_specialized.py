"""Persistent warp-specialized GEMM C = A * B^T on Hopper: one producer warpgroup, two consumer warpgroups.

What it teaches
- Roles. Warp 0 of the first warpgroup only issues TMA loads; the other two warpgroups only compute and store. They
  meet in the mbarriers of PipelineTmaAsync and nowhere else, so loads run ahead of the math across tile boundaries.
- Register reallocation. The producer gives its registers back (setmaxregister_decrease), the consumers take them
  (setmaxregister_increase): 128 * 40 + 256 * 232 = 64,512 of the 65,536 registers of an SM.
- The persistent loop. As many CTAs as fit at once; each walks the static list of output tiles. Every role walks the
  same list, and the ring's stage and phase carry over from tile to tile.
- Multicast. In a cluster of (m, n) CTAs one load of A serves the n CTAs of a row, one load of B the m CTAs of a column.
  A stage is then empty only when the consumers of all receiving CTAs have released it.
- The TMA store epilogue: registers to swizzled shared memory (stmatrix), fence, barrier among the writers, one warp
  stores and commits; before the next tile overwrites the buffer that warp waits, and the others with it.
- The drain: producer_tail waits until every stage came back, so no remote arrival hits a CTA that has left.

Constraints
- A is M x K, B is N x K, both K-major; C is M x N row-major; float16 or bfloat16, accumulation in float32.
- K and N must be multiples of 8. M, N and K need not be multiples of the tile: TMA clips on both sides.
- tile_mn is 128 x 128 or 128 x 256; the cluster has at most 4 CTAs. Needs sm_90a.

To run this example:

    python examples/cute_dsl/gemm_persistent_warp_specialized.py --mnk 4096,4096,4096 --cluster_mn 2,1
    python examples/cute_dsl/gemm_persistent_warp_specialized.py --compile_only
"""

import sys

from common import DTYPES, argument_parser, finish  # before cutlass: it may choose the architecture

import cutlass
import cutlass.cute as cute
import cutlass.memory
import cutlass.pipeline as pipeline
import cutlass.tensor_utils
import cutlass.utils as utils
import cutlass.utils.hopper_helpers as sm90_utils
from cutlass.cute.nvgpu import cpasync, warpgroup


class PersistentWarpSpecializedGemm:
    """Three warpgroups per CTA: [load, math, math]."""

    def __init__(self, tile_mn, cluster_mn, max_active_clusters):
        self.tile_mnk = (*tile_mn, 64)
        self.cluster_mn = cluster_mn
        self.max_active_clusters = max_active_clusters
        self.acc_dtype = cutlass.Float32

        self.load_warp_id = 0
        self.load_warpgroups = 1
        self.math_warpgroups = 2
        self.store_warp_id = 4 * self.load_warpgroups
        self.math_threads = 128 * self.math_warpgroups
        self.threads_per_cta = 128 * (self.load_warpgroups + self.math_warpgroups)
        self.load_registers = 40
        self.math_registers = 232

        self.multicast_a = cluster_mn[1]  # CTAs that share one tile of A
        self.multicast_b = cluster_mn[0]
        self.epilogue_barrier = pipeline.NamedBarrier(barrier_id=1, num_threads=self.math_threads)

    def stages_that_fit(self):
        """Ring stages beside one staged tile of C, 1024 bytes kept for barriers and alignment."""
        tile_m, tile_n, tile_k = self.tile_mnk
        c_bytes = tile_m * tile_n * self.c_dtype.width // 8
        stage_bytes = (tile_m + tile_n) * tile_k * self.ab_dtype.width // 8
        return (cutlass.memory.get_smem_capacity_in_bytes("sm_90") - c_bytes - 1024) // stage_bytes

    def load_op(self, multicast):
        return cpasync.CopyBulkTensorTileG2SMulticastOp() if multicast > 1 else cpasync.CopyBulkTensorTileG2SOp()

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        self.ab_dtype = a.element_type
        self.c_dtype = c.element_type
        a_layout = cutlass.tensor_utils.LayoutEnum.from_tensor(a)
        b_layout = cutlass.tensor_utils.LayoutEnum.from_tensor(b)
        c_layout = cutlass.tensor_utils.LayoutEnum.from_tensor(c)
        self.stages = self.stages_that_fit()

        tiled_mma = sm90_utils.make_trivial_tiled_mma(
            self.ab_dtype,
            self.ab_dtype,
            a_layout.sm90_mma_major_mode(),
            b_layout.sm90_mma_major_mode(),
            self.acc_dtype,
            (self.math_warpgroups, 1, 1),
            tiler_mn=(64, self.tile_mnk[1]),
        )
        a_smem_layout = sm90_utils.make_smem_layout_a(a_layout, self.tile_mnk, self.ab_dtype, self.stages)
        b_smem_layout = sm90_utils.make_smem_layout_b(b_layout, self.tile_mnk, self.ab_dtype, self.stages)
        c_smem_layout = sm90_utils.make_smem_layout_epi(self.c_dtype, c_layout, self.tile_mnk[:2], 1)

        tma_atom_a, tma_tensor_a = cpasync.make_tiled_tma_atom(
            self.load_op(self.multicast_a),
            a,
            cute.slice_(a_smem_layout, (None, None, 0)),
            (self.tile_mnk[0], self.tile_mnk[2]),
            num_multicast=self.multicast_a,
        )
        tma_atom_b, tma_tensor_b = cpasync.make_tiled_tma_atom(
            self.load_op(self.multicast_b),
            b,
            cute.slice_(b_smem_layout, (None, None, 0)),
            (self.tile_mnk[1], self.tile_mnk[2]),
            num_multicast=self.multicast_b,
        )
        tma_atom_c, tma_tensor_c = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(), c, cute.slice_(c_smem_layout, (None, None, 0)), self.tile_mnk[:2]
        )

        tiles_mnl = (*cute.ceil_div(c.shape, self.tile_mnk[:2]), 1)
        scheduler_params = utils.PersistentTileSchedulerParams(tiles_mnl, (*self.cluster_mn, 1))
        grid = utils.StaticPersistentTileScheduler.get_grid_shape(scheduler_params, self.max_active_clusters)

        @cute.struct
        class SharedStorage:
            mainloop_barriers: cute.struct.MemRange[cutlass.Int64, self.stages * 2]
            sA: cute.struct.Align[cute.struct.MemRange[self.ab_dtype, cute.cosize(a_smem_layout)], 1024]
            sB: cute.struct.Align[cute.struct.MemRange[self.ab_dtype, cute.cosize(b_smem_layout)], 1024]
            sC: cute.struct.Align[cute.struct.MemRange[self.c_dtype, cute.cosize(c_smem_layout)], 1024]

        self.shared_storage = SharedStorage
        self.kernel(
            tma_atom_a,
            tma_tensor_a,
            tma_atom_b,
            tma_tensor_b,
            tma_atom_c,
            tma_tensor_c,
            tiled_mma,
            cute.make_layout((1, *self.cluster_mn, 1)),
            a_smem_layout,
            b_smem_layout,
            c_smem_layout,
            scheduler_params,
        ).launch(
            grid=grid,
            block=[self.threads_per_cta, 1, 1],
            cluster=(*self.cluster_mn, 1),
            min_blocks_per_mp=1,
        )

    @cute.kernel
    def kernel(
        self,
        tma_atom_a: cute.CopyAtom,
        mA: cute.Tensor,  # (M, K)
        tma_atom_b: cute.CopyAtom,
        mB: cute.Tensor,  # (N, K)
        tma_atom_c: cute.CopyAtom,
        mC: cute.Tensor,  # (M, N)
        tiled_mma: cute.TiledMma,
        cluster_layout_vmnk: cute.Layout,
        a_smem_layout: cute.ComposedLayout,
        b_smem_layout: cute.ComposedLayout,
        c_smem_layout: cute.ComposedLayout,
        scheduler_params: utils.PersistentTileSchedulerParams,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        warpgroup_idx = cute.arch.make_warp_uniform(tidx // 128)
        if warp_idx == self.load_warp_id:
            cpasync.prefetch_descriptor(tma_atom_a)
            cpasync.prefetch_descriptor(tma_atom_b)
            cpasync.prefetch_descriptor(tma_atom_c)

        smem = cutlass.memory.SmemAllocator()
        storage = smem.allocate(self.shared_storage)
        sA = storage.sA.get_tensor(a_smem_layout.outer, swizzle=a_smem_layout.inner)  # (BLK_M, BLK_K, STAGES)
        sB = storage.sB.get_tensor(b_smem_layout.outer, swizzle=b_smem_layout.inner)  # (BLK_N, BLK_K, STAGES)
        sC = storage.sC.get_tensor(c_smem_layout.outer, swizzle=c_smem_layout.inner)  # (BLK_M, BLK_N, 1)

        # One arrival per consumer warp and per CTA that receives one of this CTA's loads (itself counted once).
        receiving_ctas = self.multicast_a + self.multicast_b - 1
        bytes_per_stage = cute.size_in_bytes(self.ab_dtype, cute.slice_(a_smem_layout, (None, None, 0)))
        bytes_per_stage += cute.size_in_bytes(self.ab_dtype, cute.slice_(b_smem_layout, (None, None, 0)))
        mainloop_pipeline = pipeline.PipelineTmaAsync.create(
            barrier_storage=storage.mainloop_barriers.data_ptr(),
            num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(
                pipeline.Agent.Thread, receiving_ctas * self.math_warpgroups * 4
            ),
            tx_count=bytes_per_stage,
            cta_layout_vmnk=cluster_layout_vmnk,
            defer_sync=True,
        )
        # The barriers must be initialised in every CTA of the cluster before anyone loads into it.
        pipeline.pipeline_init_arrive(cluster_shape_mn=self.cluster_mn, is_relaxed=True)
        pipeline.pipeline_init_wait(cluster_shape_mn=self.cluster_mn)

        gA = cute.local_tile(mA, (self.tile_mnk[0], self.tile_mnk[2]), (None, None))  # (BLK_M, BLK_K, m, k)
        gB = cute.local_tile(mB, (self.tile_mnk[1], self.tile_mnk[2]), (None, None))  # (BLK_N, BLK_K, n, k)
        gC = cute.local_tile(mC, self.tile_mnk[:2], (None, None))  # (BLK_M, BLK_N, m, n)
        k_tiles = cute.size(gA, mode=[3])

        tile_scheduler = utils.StaticPersistentTileScheduler.create(
            scheduler_params, cute.arch.block_idx(), cute.arch.grid_dim()
        )

        if warpgroup_idx < self.load_warpgroups:
            cute.arch.setmaxregister_decrease(self.load_registers)
            if warp_idx == self.load_warp_id:
                self.load_tiles(
                    tma_atom_a,
                    tma_atom_b,
                    sA,
                    sB,
                    gA,
                    gB,
                    k_tiles,
                    cluster_layout_vmnk,
                    mainloop_pipeline,
                    tile_scheduler,
                )
        else:
            cute.arch.setmaxregister_increase(self.math_registers)
            self.compute_tiles(
                tma_atom_c, tiled_mma, sA, sB, sC, gC, k_tiles, mainloop_pipeline, tile_scheduler
            )

    @cute.jit
    def load_tiles(
        self, tma_atom_a, tma_atom_b, sA, sB, gA, gB, k_tiles, cluster_layout_vmnk, mainloop_pipeline, tile_scheduler
    ):
        """The load warp: fill the ring for one output tile after the other."""
        cta_rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        cluster_coord = cluster_layout_vmnk.get_flat_coord(cta_rank)
        a_mask = 0
        b_mask = 0
        if cutlass.const_expr(self.multicast_a > 1):
            a_mask = cute.make_layout_image_mask(cluster_layout_vmnk, cluster_coord, mode=2)
        if cutlass.const_expr(self.multicast_b > 1):
            b_mask = cute.make_layout_image_mask(cluster_layout_vmnk, cluster_coord, mode=1)
        tAsA, tAgA = cpasync.tma_partition(
            tma_atom_a,
            cluster_coord[2],
            cute.make_layout(self.multicast_a),
            cute.group_modes(sA, 0, 2),
            cute.group_modes(gA, 0, 2),
        )
        tBsB, tBgB = cpasync.tma_partition(
            tma_atom_b,
            cluster_coord[1],
            cute.make_layout(self.multicast_b),
            cute.group_modes(sB, 0, 2),
            cute.group_modes(gB, 0, 2),
        )

        producer_state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
        work_tile = tile_scheduler.initial_work_tile_info()
        while work_tile.is_valid_tile:
            tile_m, tile_n, _ = work_tile.tile_idx
            for k_tile in range(k_tiles):
                mainloop_pipeline.producer_acquire(producer_state)
                full_barrier = mainloop_pipeline.producer_get_barrier(producer_state)
                cute.copy(
                    tma_atom_a,
                    tAgA[None, tile_m, k_tile],
                    tAsA[None, producer_state.index],
                    tma_bar_ptr=full_barrier,
                    mcast_mask=a_mask,
                )
                cute.copy(
                    tma_atom_b,
                    tBgB[None, tile_n, k_tile],
                    tBsB[None, producer_state.index],
                    tma_bar_ptr=full_barrier,
                    mcast_mask=b_mask,
                )
                mainloop_pipeline.producer_commit(producer_state)
                producer_state.advance()
            tile_scheduler.advance_to_next_work()
            work_tile = tile_scheduler.get_current_work()
        mainloop_pipeline.producer_tail(producer_state)

    @cute.jit
    def compute_tiles(self, tma_atom_c, tiled_mma, sA, sB, sC, gC, k_tiles, mainloop_pipeline, tile_scheduler):
        """The math warpgroups: accumulate a tile, stage it, let one warp store it."""
        tidx, _, _ = cute.arch.thread_idx()
        math_tidx = tidx - 128 * self.load_warpgroups
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())

        thr_mma = tiled_mma.get_slice(math_tidx)
        tCrA = tiled_mma.make_fragment_A(thr_mma.partition_A(sA))  # descriptors, not registers
        tCrB = tiled_mma.make_fragment_B(thr_mma.partition_B(sB))
        acc_shape = tiled_mma.partition_shape_C(self.tile_mnk[:2])
        accumulators = cute.make_rmem_tensor(acc_shape, self.acc_dtype)
        k_blocks = cute.size(tCrA, mode=[2])

        # Registers to shared memory: each 8x8 block of the accumulator in one stmatrix row set.
        store_matrix = cute.make_copy_atom(cute.nvgpu.warp.StMatrix8x8x16bOp(False, 4), self.c_dtype)
        tiled_copy_r2s = cute.make_tiled_copy_C(store_matrix, tiled_mma)
        thr_copy_r2s = tiled_copy_r2s.get_slice(math_tidx)
        tRSsC = thr_copy_r2s.partition_D(sC)
        tCrC = cute.make_fragment_like(accumulators, self.c_dtype)
        tRSrC = tiled_copy_r2s.retile(tCrC)
        bSGsC, bSGgC = cpasync.tma_partition(
            tma_atom_c, 0, cute.make_layout(1), cute.group_modes(sC, 0, 2), cute.group_modes(gC, 0, 2)
        )
        store_pipeline = pipeline.PipelineTmaStore.create(
            num_stages=1,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, self.math_threads),
        )

        read_state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        release_state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        work_tile = tile_scheduler.initial_work_tile_info()
        while work_tile.is_valid_tile:
            tile_m, tile_n, _ = work_tile.tile_idx

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
                warpgroup.wait_group(1)  # the tile before this one is complete
                if k_tile > 0:
                    mainloop_pipeline.consumer_release(release_state)
                    release_state.advance()
            warpgroup.wait_group(0)
            mainloop_pipeline.consumer_release(release_state)
            release_state.advance()

            tCrC.store(accumulators.load().to(self.c_dtype))
            # The previous store must have read sC before anyone overwrites it.
            if warp_idx == self.store_warp_id:
                store_pipeline.producer_acquire()
            self.epilogue_barrier.arrive_and_wait()
            cute.copy(tiled_copy_r2s, tRSrC, tRSsC[None, None, None, 0])
            cute.arch.fence_proxy("async.shared", space="cta")
            self.epilogue_barrier.arrive_and_wait()
            if warp_idx == self.store_warp_id:
                cute.copy(tma_atom_c, bSGsC[None, 0], bSGgC[None, tile_m, tile_n])
                store_pipeline.producer_commit()

            tile_scheduler.advance_to_next_work()
            work_tile = tile_scheduler.get_current_work()
        store_pipeline.producer_tail()


def pair(text):
    return tuple(int(word) for word in text.split(","))


def clusters_at_once(flags):
    """How many clusters run at the same time: asked of the device, or one CTA on each of an H100's 132 SMs."""
    ctas = flags.cluster_mn[0] * flags.cluster_mn[1]
    if flags.compile_only or flags.export:
        return 132 // ctas
    return utils.HardwareInfo().get_max_active_clusters(ctas)


def main():
    parser = argument_parser("C = A * B^T, persistent and warp-specialized, TMA store epilogue")
    parser.add_argument("--mnk", type=pair, default=(4096, 4096, 4096), help="problem size M,N,K")
    parser.add_argument("--tile_mn", type=pair, default=(128, 128), help="tile of C per CTA: 128,128 or 128,256")
    parser.add_argument("--cluster_mn", type=pair, default=(1, 1), help="CTAs per cluster along M,N")
    parser.add_argument("--dtype", choices=["float16", "bfloat16"], default="float16", help="type of A, B and C")
    flags = parser.parse_args()
    m, n, k = flags.mnk
    if n % 8 or k % 8:
        parser.error("N and K must be multiples of 8: TMA needs strides of 16 bytes")
    if flags.tile_mn not in ((128, 128), (128, 256)):
        parser.error("--tile_mn is 128,128 or 128,256")
    if flags.cluster_mn[0] * flags.cluster_mn[1] > 4:
        parser.error("--cluster_mn: at most 4 CTAs")
    dtype = DTYPES[flags.dtype]
    tensors = [(dtype, (m, k)), (dtype, (n, k)), (dtype, (m, n))]
    kernel = PersistentWarpSpecializedGemm(flags.tile_mn, flags.cluster_mn, clusters_at_once(flags))
    return finish(flags, "gemm_persistent_warp_specialized", kernel, tensors, reference=lambda a, b: a @ b.T)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
