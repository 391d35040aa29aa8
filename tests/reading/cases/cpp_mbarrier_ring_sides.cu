// Who fills and who drains a ring of plain barriers; the loads that fill it; the descriptors behind them.
// expect-pattern: P1 present default_active
// expect-pattern: P7 present default_active
// expect-pattern: P9 absent
// expect-pattern: P10 absent
using namespace cute;

template <class SmemLayoutA>
struct SharedStorage {
  alignas(128) cute::ArrayEngine<cute::half_t, cosize_v<SmemLayoutA>> A;
  uint64_t tma_barrier[size<2>(SmemLayoutA{})];
  uint64_t mma_barrier[size<2>(SmemLayoutA{})];
};

template <class SmemLayoutA, class TmaA, class TiledMma>
__global__ void gemm_device(TmaA const tma_a, TiledMma mma, float* C) {
  extern __shared__ char raw[];
  using Storage = SharedStorage<SmemLayoutA>;
  Storage& smem = *reinterpret_cast<Storage*>(raw);
  Tensor sA = make_tensor(make_smem_ptr(smem.A.begin()), SmemLayoutA{});  // expect: D6 shared-view
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  int warp_idx = cutlass::canonical_warp_idx_sync();
  uint64_t* producer_mbar = smem.tma_barrier;
  uint64_t* consumer_mbar = smem.mma_barrier;
  using Full = cutlass::arch::ClusterTransactionBarrier;
  using Empty = cutlass::arch::ClusterBarrier;
  for (int pipe = 0; pipe < 3; ++pipe) {
    Full::init(&producer_mbar[pipe], 1);     // expect: D2 pipeline stages=3 class=mbarriers; D5 barrier
    Empty::init(&consumer_mbar[pipe], 128);  // expect: D5 barrier
  }
  cluster_sync();  // expect: D5 barrier
  Tensor accumulators = make_tensor<float>(Shape<_4, _4>{});  // expect: D4 accumulator
  for (int k = 0; k < 8; ++k) {
    Full::wait(&producer_mbar[read], phase);  // expect: D2 wait pipeline=tma_barrier; D5 barrier-wait
    gemm(mma, tCrA, tCrB, accumulators);      // expect: D4 gemm fed_by=tma_barrier a=tCrA accumulators=accumulators
    Empty::arrive(&consumer_mbar[read]);      // expect: D2 release pipeline=tma_barrier; D5 barrier-arrive
    if (warp_idx == 0) {
      Empty::wait(&consumer_mbar[pipe], phase);               // expect: D2 acquire pipeline=tma_barrier; D5 barrier-wait
      Full::arrive_and_expect_tx(&producer_mbar[pipe], 4096);  // expect: D2 commit pipeline=tma_barrier; D5 barrier
      copy(tma_a.with(producer_mbar[pipe]), tAgA(_, k), tAsA(_, pipe));  // expect: D3 copy direction=load
    }
  }
}

// A host function of the library's name: no product, whatever it is called.
void gemm(char mode, float* A, float* C) {
  if (mode == 'N') {
    auto sA = tile_to_shape(GMMA::Layout_K_SW128_Atom<cute::half_t>{}, make_shape(Int<128>{}, Int<64>{}, Int<3>{}));
    Tensor mA = make_tensor(A, make_shape(512, 256));
    Copy_Atom tmaA = make_tma_atom(SM90_TMA_LOAD{}, mA, sA(_, _, 0), make_shape(Int<128>{}, Int<64>{}));  // expect: H1 tma-descriptor direction=load multicast=false tensor=A
    dim3 dimCluster(2, 1, 1);
    int bytes = sizeof(SharedStorage<decltype(sA)>);
    cutlass::ClusterLaunchParams params = {dim3(4, 2, 1), dim3(128), dimCluster, bytes};  // expect: H4 launch-keyword smem=49280
    cutlass::launch_kernel_on_cluster(params, &gemm_device<decltype(sA), decltype(tmaA), float>, tmaA, C);
  }
  if (mode == 'T') {
    Copy_Atom tmaA = make_tma_atom(SM90_TMA_LOAD_MULTICAST{}, A, sA, tile);  // expect: H1 tma-descriptor multicast=true active=false
  }
}

int main() {
  gemm('N', nullptr, nullptr);
}
