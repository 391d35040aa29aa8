// Details of hand-written kernels: who arrives at what, where outputs pass, what a launch's attributes say.
// expect-arch: sm_90a
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
using namespace cute;
using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;
using cutlass::arch::NamedBarrier;

constexpr int stages = 4;
constexpr int consumers = 2;
constexpr int cluster_size = 2;
using Mma = decltype(make_tiled_mma(GMMA::ss_op_selector<half_t, half_t, float, Shape<_128, _128, _64>>()));  // expect: D4 mma family=wgmma

struct Params {
  void* d;
  int m, n;
};
struct Items {
  uint64_t full[2];
  uint64_t empty[2];
};
struct Storage {
  uint64_t full[stages];
  uint64_t empty[stages];
  Items items;
};
struct Pending {
  uint32_t pairs[32];
};

inline auto output(const Params& p) { return make_tensor(make_gmem_ptr(static_cast<half_t*>(p.d)), make_shape(p.m, p.n)); }
auto store_d(const Params& p) {
  Params narrow = p;
  return make_tma_copy(SM90_TMA_STORE{}, output(narrow), Layout<Shape<_64, _64>>{});  // expect: H1 tma-descriptor tensor=d
}

struct Finish {
  __device__ void operator()(float x, uint32_t* pairs) const {
    pairs[0] = __float_as_uint(x);  // expect-none: E1 store
  }
};

__device__ void fill(Storage& s, int k) {
  Empty::wait(&s.empty[k % stages], 1);
  Full::arrive_and_expect_tx(&s.full[k % stages], 1024);
  copy(tma.with(s.full[k % stages]), gA(_, k), sA(_, k % stages));
}
__device__ void fill_items(Items& items, int k) {
  Empty::wait(&items.empty[k % 2], 1);
  Full::arrive_and_expect_tx(&items.full[k % 2], 4);  // expect: D2 commit says=full(Items)
}

__device__ void load(Storage& s) {
  for (int k = 0; k < 9; ++k) fill(s, k);
}

__device__ void consume(Storage& s, const Finish& finish, half_t* staged) {
  Pending pending;
  for (int k = 0; k < 9; ++k) {
    Full::wait(&s.full[k % stages], 0);
    Full::wait(&s.items.full[k % 2], 0);
    warpgroup_arrive();
    gemm(Mma{}, a(_, k), b(_, k), sums);
    Empty::arrive(&s.items.empty[k % 2]);
    Empty::arrive(&s.empty[k % stages], threadIdx.x % 32, threadIdx.x < cluster_size);  // expect: D5 barrier-arrive
  }
  finish(1.0f, pending.pairs);
  SM90_U32x4_STSM_N::copy(pending.pairs[0], pending.pairs[1], pending.pairs[2], pending.pairs[3], staged[threadIdx.x]);  // expect: E1 staging operation=SM90_U32x4_STSM_N
  NamedBarrier::sync(128, 3);  // expect: D5 barrier threads=128 id=3
}

__global__ void kernel(const Params p, Finish finish) {
  __shared__ Storage s;
  const bool loader = threadIdx.x == 0;
  if (loader) {
    for (int stage = 0; stage < stages; ++stage) {
      Full::init(&s.full[stage], 1);                             // expect: D5 barrier arrivals=1
      Empty::init(&s.empty[stage], consumers * cluster_size);    // expect: D5 barrier arrivals=4
    }
  }
  if (threadIdx.x < 128) {  // expect: D1 role by=thread0
    if (loader) load(s);
  } else {
    consume(s, finish, nullptr);
  }
}

void launch(const Params& p) {
  cudaLaunchAttribute of_cluster{};
  of_cluster.val.clusterDim = {static_cast<unsigned>(cluster_size), 1, 1};  // expect: H2 cluster cluster=(2,1,1)
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(132);
  how.blockDim = dim3(384);
  how.attrs = &of_cluster;
  cudaLaunchKernelEx(&how, kernel, p, Finish{});  // expect: H2 launch cluster=(2,1,1) grid=(132,1,1) block=(384,1,1)
}
