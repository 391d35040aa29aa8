# expect-style: cute-ext
import cutlass
import cutlass.cute as cute
import cutlass.cute.experimental as cute_ext

MULTICAST = True


def builder():
    @cute_ext.kernel
    def kernel(mA: cute.Tensor, mD: cute.Tensor):
        warp_idx = cute.arch.warp_idx()
        is_load_thr = warp_idx == 1
        is_mma_thr = warp_idx == 0
        is_leader_cta = cute.arch.block_idx_in_cluster() == 0
        gA = cute.zipped_divide(mA, (128, 64))
        tAgA = gA[(None, None), (0, None)]
        a_layout = cute.make_layout((128, 64, 4))
        tmem_layout = cute_ext.make_tmem_layout_acc(cute.make_layout(1), (128, 128, 64), 2)
        buffer_a = cute_ext.allocate(cutlass.Float16, cute.AddressSpace.smem, a_layout, alignment=1024)  # expect: H3 allocation bytes=65536 type=Float16 alignment=1024
        acc = cute_ext.allocate(cutlass.Float32, cute.AddressSpace.tmem, tmem_layout)  # expect: D4 tensor-memory-allocation columns=256
        fragment = cute_ext.allocate(cutlass.Float32, cute.AddressSpace.rmem, cute.make_layout(32))
        load_type = None
        if cutlass.const_expr(MULTICAST):
            load_type = cute_ext.OperationTypeEnum.SM90_TMA_LOAD_MULTICAST
            ring = cute_ext.TMAToUMMAPipeline.create_with_mask(num_stages=4, tma_operation_type=load_type)  # expect: D2 pipeline class=TMAToUMMAPipeline stages=4
        else:
            load_type = cute_ext.OperationTypeEnum.SM90_TMA_LOAD
            ring = cute_ext.TMAToUMMAPipeline.create(num_stages=4, tma_operation_type=load_type)  # expect: D2 pipeline active=false
        store_ring = cute_ext.TMAStorePipeline(stages=2, arv_count=128, barrier_id=1, tma_warp_id=0)  # expect: D2 pipeline class=TMAStorePipeline stages=2
        if is_load_thr:  # expect: D1 role warps=(1)
            for k in cutlass.range(8):
                token, idx = ring.producer_acquire_and_get_stage()  # expect: D2 acquire pipeline=ring
                cute_ext.tma_load_multicast(tAgA[None, None, k], buffer_a[None, None, idx], cute_ext.get_mbarrier(token), tma_operation_type=load_type)  # expect: D3 copy operation=tma-load multicast=true tensor=mA buffer=buffer_a; H1 tma-descriptor direction=load multicast=true operation=SM90_TMA_LOAD_MULTICAST
                ring.producer_commit_and_advance()  # expect: D2 commit pipeline=ring
        if is_mma_thr and is_leader_cta:  # expect: D1 role warps=(0)
            for k in cutlass.range(8):
                _, idx = ring.consumer_wait_and_get_stage()  # expect: D2 wait pipeline=ring
                cute_ext.dot(cute.make_mma_atom(None), buffer_a[None, None, idx], buffer_a, acc)  # expect: D4 gemm
                ring.consumer_release_and_advance()  # expect: D2 release pipeline=ring
        cute_ext.partition_and_copy(None, acc[None, 0], fragment)  # expect: D4 tmem-copy source_space=tensor-memory destination_space=registers
        store_ring.acquire_sync()  # expect: D2 acquire pipeline=store_ring
        cute_ext.partition_and_copy(None, fragment, buffer_a[None, 0])  # expect: E1 staging destination_space=shared
        store_ring.commit_sync()  # expect: D2 commit pipeline=store_ring; D5 fence
        cute_ext.tma_store(buffer_a[None, 0], cute.zipped_divide(mD, (128, 64))[None, 0])  # expect: D3 copy operation=tma-store tensor=mD; H1 tma-descriptor direction=store multicast=false
        store_ring.tail()  # expect: D2 tail

    @cute_ext.jit
    def launch(mA: cute.Tensor, mD: cute.Tensor):
        kernel(mA, mD).launch(grid=(2, 1, 1), block=(64, 1, 1), cluster=(2, 1, 1))

    return launch


if __name__ == "__main__":
    cute_ext.compile(builder(), None, None)
