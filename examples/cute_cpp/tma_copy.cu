// Copy of an M x N row-major half matrix through swizzled shared memory, both ways by TMA (Hopper).
//
// What it teaches
// - A TMA descriptor is made on the host from a global tensor and a shared-memory layout: make_tma_copy. The
//   kernel gets it as a __grid_constant__ parameter and addresses the global tensor by coordinates
//   (get_tma_tensor), never by pointers.
// - The load reports its bytes to a transaction barrier: init, fence, expect bytes, copy, wait for phase 0.
// - The store is a commit group: fence, issue, arrive (commit), wait before the CTA leaves.
// - The swizzle belongs to the layout of the shared tile. Load and store use the same one, so the copy never
//   sees it.
//
// Constraints
// - N must be a multiple of 8 (TMA strides are multiples of 16 bytes). M and N need not be multiples of the
//   tile: TMA clips.
// - Needs sm_90.
//
// To build and run:
//   nvcc -std=c++17 -arch=sm_90a --expt-relaxed-constexpr -I$CUTLASS/include tma_copy.cu -o tma_copy
//   ./tma_copy --m=1000 --n=2000
#include <cutlass/arch/barrier.h>
#include <cutlass/half.h>
#include <cute/tensor.hpp>

#include "check.h"

using namespace cute;
using Element = cutlass::half_t;
using FullBarrier = cutlass::arch::ClusterTransactionBarrier;

using TileM = Int<64>;
using TileN = Int<64>;
// 64 half columns are 128 bytes: one row of the 128-byte swizzle.
using SmemLayout = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<Element>{}, Shape<TileM, TileN>{}));
constexpr int threads_per_cta = 32;

struct SharedStorage {
  alignas(1024) cute::ArrayEngine<Element, cosize_v<SmemLayout>> tile;
  uint64_t full_barrier;
};

template <class TmaLoad, class TmaStore>
__global__ void __launch_bounds__(threads_per_cta)
    tma_copy_kernel(int m, int n, __grid_constant__ const TmaLoad tma_load,
                    __grid_constant__ const TmaStore tma_store) {
  extern __shared__ __align__(1024) char shared_memory[];
  SharedStorage& storage = *reinterpret_cast<SharedStorage*>(shared_memory);
  Tensor sTile = make_tensor(make_smem_ptr(storage.tile.begin()), SmemLayout{});  // (TileM, TileN)

  const auto coordinate = make_coord(blockIdx.x, blockIdx.y);
  Tensor gSrc = local_tile(tma_load.get_tma_tensor(make_shape(m, n)), Shape<TileM, TileN>{}, coordinate);
  Tensor gDst = local_tile(tma_store.get_tma_tensor(make_shape(m, n)), Shape<TileM, TileN>{}, coordinate);

  auto load = tma_load.get_slice(0);
  auto store = tma_store.get_slice(0);
  const bool elected = cute::elect_one_sync();

  if (elected) {
    FullBarrier::init(&storage.full_barrier, 1);  // one arrival: the thread that announces the bytes
    cutlass::arch::fence_barrier_init();
    FullBarrier::arrive_and_expect_tx(&storage.full_barrier, sizeof(Element) * size(SmemLayout{}));
    copy(tma_load.with(storage.full_barrier), load.partition_S(gSrc), load.partition_D(sTile));
  }
  __syncthreads();  // nobody waits on a barrier that is not initialised yet
  FullBarrier::wait(&storage.full_barrier, 0);

  // Both sides are the async proxy here; a kernel whose threads wrote the tile would need this fence, so it
  // stays.
  tma_store_fence();
  if (elected) {
    copy(tma_store, store.partition_S(sTile), store.partition_D(gDst));
    tma_store_arrive();
    tma_store_wait<0>();
  }
}

void launch_tma_copy(int m, int n, const Element* src, Element* dst) {
  Tensor mSrc = make_tensor(make_gmem_ptr(src), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor mDst = make_tensor(make_gmem_ptr(dst), make_shape(m, n), make_stride(n, Int<1>{}));
  auto tma_load = make_tma_copy(SM90_TMA_LOAD{}, mSrc, SmemLayout{});
  auto tma_store = make_tma_copy(SM90_TMA_STORE{}, mDst, SmemLayout{});
  const dim3 grid(ceil_div(m, TileM::value), ceil_div(n, TileN::value));
  const int smem_bytes = sizeof(SharedStorage);
  tma_copy_kernel<<<grid, threads_per_cta, smem_bytes>>>(m, n, tma_load, tma_store);
  CHECK_CUDA(cudaGetLastError());
}

int main(int argc, char** argv) {
  const int m = int_flag(argc, argv, "--m", 1000);
  const int n = int_flag(argc, argv, "--n", 2000);
  if (m < 1 || n < 8 || n % 8 != 0) {
    std::fprintf(stderr, "--n must be a positive multiple of 8: TMA takes strides of 16 bytes\n");
    return 2;
  }
  const std::vector<Element> input = random_values<Element>(std::size_t(m) * n, 1);
  const DeviceArray<Element> src(input);
  const DeviceArray<Element> dst(std::vector<Element>(input.size(), Element(-3.0f)));
  launch_tma_copy(m, n, src.data(), dst.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  return verdict("tma_copy", relative_error(dst.to_host(), std::vector<float>(input.begin(), input.end())),
                 0.0);
}
