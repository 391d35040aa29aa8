// One elected warp issues copies and products and rejoins the others: no roles, one CTA in each cluster.
// expect-pattern: P1 absent
// expect-pattern: P2 absent
// expect-pattern: P5 present
// expect-pattern: P7 absent
// expect-arch: sm_100a
using namespace cute;

__global__ void kernel(Storage& storage, TiledMMA tiled_mma, TmaAtom const tma_atom_A, float* out) {
  auto cta_in_cluster = layout.get_flat_coord(int(cute::block_rank_in_cluster()));
  auto elect_one_cta = get<0>(cta_in_cluster) == Int<0>{};  // expect: D1 identity
  uint32_t elect_one_warp = (threadIdx.x / 32 == 0);        // expect: D1 identity
  uint32_t elect_one_thr = cute::elect_one_sync();
  using TmemAllocator = cute::TMEM::Allocator1Sm;
  TmemAllocator tmem_allocator{};
  if (elect_one_warp) {
    tmem_allocator.allocate(TmemAllocator::Sm100TmemCapacityColumns, &storage.tmem_base_ptr);  // expect: D4 tensor-memory-allocation columns=512
    cute::initialize_barrier(storage.tma_barrier, 1);
  }
  cluster_sync();
  tiled_mma.accumulate_ = UMMA::ScaleOut::Zero;  // expect: D4 accumulate
  for (int k_tile = 0; k_tile < 4; ++k_tile) {
    if (elect_one_warp && elect_one_thr) {  // expect: D1 role elected=true
      cute::set_barrier_transaction_bytes(storage.tma_barrier, 4096);  // expect: D5 barrier
      copy(tma_atom_A.with(storage.tma_barrier), tAgA(_, k_tile), tAsA);  // expect: D3 copy direction=load
    }
    if (elect_one_cta) {  // expect: D1 role elected=false rejoins=true
      cute::wait_barrier(storage.tma_barrier, phase);
      for (int k = 0; k < 4; ++k) gemm(tiled_mma, tCrA(_, k), tCrB(_, k), tCtAcc);
      cutlass::arch::umma_arrive(&storage.mma_barrier);  // expect: D5 mma-commit
    }
  }
  TiledCopy t2r = make_tmem_copy(SM100_TMEM_LOAD_32dp32b1x{}, tCtAcc);
  copy(tma_atom_D, tSG_sD, tSG_gD);  // expect: D3 copy direction=store
  tma_store_fence();                 // expect: D5 fence
  tmem_allocator.free(storage.tmem_base_ptr, 512);  // expect: D4 tensor-memory-release
}

void host() {
  using ClusterShape = Shape<_1, _1, _1>;  // expect: H2 cluster cluster=(1,1,1)
  dim3 dimCluster(1, 1, 1);
}
