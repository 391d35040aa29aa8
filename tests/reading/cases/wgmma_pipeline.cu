// expect-arch: sm_90a
// expect-pattern: P1 present default_active
// expect-pattern: P6 present default_active
#include <cute/tensor.hpp>

template <class T, class SmemLayoutA>
struct SharedStorage {  // expect: H3 storage
  alignas(128) cute::ArrayEngine<T, cute::cosize_v<SmemLayoutA>> A;  // expect: H3 storage-member
  uint64_t tma_barrier[4];  // expect: H3 storage-member
};

template <class TiledMma, class TmaA>
__global__ void gemm_device(TiledMma mma, TmaA const tma_a) {
  auto write_state = cutlass::PipelineState<4>();  // expect: D2 pipeline-state
  using ProducerBarType = cutlass::arch::ClusterTransactionBarrier;  // expect: D5 barrier-type
  if (warp_idx == 0) {  // expect: D1 role
    ProducerBarType::arrive_and_expect_tx(nullptr, 32768);  // expect: D5 barrier
    copy(tma_a.with(nullptr), tAgA(_, 0), tAsA(_, 0));
  }
  warpgroup_arrive();  // expect: D4 wgmma-fence
  gemm(mma, tCrA, tCrB, tCrC);  // expect: D4 gemm
  warpgroup_commit_batch();  // expect: D4 wgmma-commit
  warpgroup_wait<0>();  // expect: D4 wgmma-wait
  cute::cluster_sync();  // expect: D5 barrier
}

void host(float* A) {
  auto sA = tile_to_shape(GMMA::Layout_MN_SW128_Atom<float>{}, Shape<Int<128>, Int<64>, Int<4>>{});  // expect: D6 shared-layout
  auto tiled_mma = make_tiled_mma(SM90_64x64x16_F16F16F16_SS<GMMA::Major::MN, GMMA::Major::MN>{});  // expect: D4 mma
  auto tma = make_tma_atom(SM90_TMA_LOAD{}, A, sA, tile);  // expect: H1 tma-descriptor; D3 copy
}
