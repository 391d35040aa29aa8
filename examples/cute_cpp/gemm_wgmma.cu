// Warp-specialized GEMM C = A * B^T on Hopper in CuTe C++: one load warp, one math warpgroup, a TMA ring
// between them.
//
// What it teaches
// - One function per role. The load warp only waits for empty stages and issues TMA; the math warpgroup only
//   waits for full stages and issues wgmma. Both walk the same k tiles with their own PipelineState.
// - The two barriers of a stage. full: one arrival (the load thread) plus the bytes of both tiles. empty: one
//   arrival per math warp. A producer starts with phase 1, so that its first wait on each empty stage passes.
// - wgmma reads both operands from swizzled shared memory through descriptors: make_fragment_A/B copy
// nothing.
// - warpgroup_wait<1> keeps one k tile of wgmma in flight; only the tile before it may be released.
// - The epilogue is predicated with an identity tensor, since plain stores are not clipped as TMA is.
//
// Constraints
// - A is M x K, B is N x K (both K-major), C is M x N row-major, half with float accumulation.
// - K and N must be multiples of 8. M, N and K need not be multiples of the 128 x 128 x 64 tile.
// - Needs sm_90a.
//
// To build and run:
//   nvcc -std=c++17 -arch=sm_90a --expt-relaxed-constexpr -I$CUTLASS/include gemm_wgmma.cu -o gemm_wgmma
//   ./gemm_wgmma --m=512 --n=1000 --k=768
#include <cutlass/arch/barrier.h>
#include <cutlass/half.h>
#include <cute/tensor.hpp>
#include <cutlass/pipeline/sm90_pipeline.hpp>

#include "check.h"

using namespace cute;
using Element = cutlass::half_t;
using FullBarrier = cutlass::arch::ClusterTransactionBarrier;
using EmptyBarrier = cutlass::arch::ClusterBarrier;

using TileM = Int<128>;
using TileN = Int<128>;
using TileK = Int<64>;
constexpr int stages = 4;

using SmemLayoutA = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<Element>{},
                                           Shape<TileM, TileK, Int<stages>>{}));  // (M, K, STAGES)
using SmemLayoutB = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<Element>{},
                                           Shape<TileN, TileK, Int<stages>>{}));  // (N, K, STAGES)
using TiledMma = decltype(make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}));

constexpr int math_threads = 128;
constexpr int math_warps = math_threads / 32;
constexpr int load_warp = math_warps;  // the warp behind the math warpgroup
constexpr int threads_per_cta = math_threads + 32;
constexpr int bytes_per_stage = sizeof(Element) * (TileM::value + TileN::value) * TileK::value;

struct SharedStorage {
  alignas(1024) cute::ArrayEngine<Element, cosize_v<SmemLayoutA>> A;
  alignas(1024) cute::ArrayEngine<Element, cosize_v<SmemLayoutB>> B;
  uint64_t full[stages];
  uint64_t empty[stages];
};

/// The load warp: one elected thread fills stage after stage.
template <class TmaA, class TmaB, class GA, class GB, class SA, class SB>
__device__ void load_role(SharedStorage& storage, const TmaA& tma_a, const TmaB& tma_b, const GA& gA,
                          const GB& gB, const SA& sA, const SB& sB) {
  auto [tAgA, tAsA] =
      tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] =
      tma_partition(tma_b, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  auto write = cutlass::make_producer_start_state<cutlass::PipelineAsync<stages>>();
  const int k_tiles = size<1>(tAgA);
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++write) {
    const int stage = write.index();
    EmptyBarrier::wait(&storage.empty[stage], write.phase());
    FullBarrier::arrive_and_expect_tx(&storage.full[stage], bytes_per_stage);
    copy(tma_a.with(storage.full[stage]), tAgA(_, k_tile), tAsA(_, stage));
    copy(tma_b.with(storage.full[stage]), tBgB(_, k_tile), tBsB(_, stage));
  }
}

/// The math warpgroup: accumulate all k tiles into `accumulators`.
template <class SA, class SB, class Accumulators>
__device__ void math_role(SharedStorage& storage, int k_tiles, const SA& sA, const SB& sB,
                          Accumulators& accumulators) {
  TiledMma mma;
  auto thr_mma = mma.get_thread_slice(threadIdx.x);
  Tensor tCrA = thr_mma.make_fragment_A(thr_mma.partition_A(sA));  // (MMA, MMA_M, MMA_K, STAGES), descriptors
  Tensor tCrB = thr_mma.make_fragment_B(thr_mma.partition_B(sB));  // (MMA, MMA_N, MMA_K, STAGES)
  const bool signals = threadIdx.x % 32 == 0;
  cutlass::PipelineState<stages> read, release;
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++read) {
    FullBarrier::wait(&storage.full[read.index()], read.phase());
    warpgroup_fence_operand(accumulators);
    warpgroup_arrive();
    gemm(mma, tCrA(_, _, _, read.index()), tCrB(_, _, _, read.index()), accumulators);
    warpgroup_commit_batch();
    warpgroup_wait<1>();
    if (k_tile > 0) {
      if (signals) EmptyBarrier::arrive(&storage.empty[release.index()]);
      ++release;
    }
  }
  warpgroup_wait<0>();  // drain before the accumulators are read
  warpgroup_fence_operand(accumulators);
}

template <class TmaA, class TmaB>
__global__ void __launch_bounds__(threads_per_cta)
    gemm_kernel(int m, int n, int k, __grid_constant__ const TmaA tma_a, __grid_constant__ const TmaB tma_b,
                Element* c) {
  extern __shared__ __align__(1024) char shared_memory[];
  SharedStorage& storage = *reinterpret_cast<SharedStorage*>(shared_memory);
  Tensor sA = make_tensor(make_smem_ptr(storage.A.begin()), SmemLayoutA{});
  Tensor sB = make_tensor(make_smem_ptr(storage.B.begin()), SmemLayoutB{});

  const auto tiler = Shape<TileM, TileN, TileK>{};
  const auto tile = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(tma_a.get_tma_tensor(make_shape(m, k)), tiler, tile,
                         Step<_1, X, _1>{});  // (TileM, TileK, k)
  Tensor gB = local_tile(tma_b.get_tma_tensor(make_shape(n, k)), tiler, tile,
                         Step<X, _1, _1>{});  // (TileN, TileK, k)

  const int warp = cutlass::canonical_warp_idx_sync();
  if (warp == load_warp && cute::elect_one_sync()) {
    for (int stage = 0; stage < stages; ++stage) {
      FullBarrier::init(&storage.full[stage], 1);
      EmptyBarrier::init(&storage.empty[stage], math_warps);
    }
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();

  if (warp == load_warp) {
    if (cute::elect_one_sync()) load_role(storage, tma_a, tma_b, gA, gB, sA, sB);
    return;
  }

  Tensor mC = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor gC = local_tile(mC, tiler, tile, Step<_1, _1, X>{});  // (TileM, TileN)
  Tensor cC = local_tile(make_identity_tensor(make_shape(m, n)), tiler, tile,
                         Step<_1, _1, X>{});  // coordinates of gC
  auto thr_mma = TiledMma{}.get_thread_slice(threadIdx.x);
  Tensor tCgC = thr_mma.partition_C(gC);
  Tensor tCcC = thr_mma.partition_C(cC);
  Tensor accumulators = thr_mma.make_fragment_C(tCgC);
  clear(accumulators);
  math_role(storage, size<2>(gA), sA, sB, accumulators);
  CUTE_UNROLL
  for (int i = 0; i < size(accumulators); ++i)
    if (elem_less(tCcC(i), make_coord(m, n))) tCgC(i) = Element(accumulators(i));
}

void launch_gemm(int m, int n, int k, const Element* a, const Element* b, Element* c) {
  Tensor mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, Int<1>{}));
  Tensor mB = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(k, Int<1>{}));
  auto tma_a = make_tma_atom(SM90_TMA_LOAD{}, mA, SmemLayoutA{}(_, _, 0), Shape<TileM, TileK>{});
  auto tma_b = make_tma_atom(SM90_TMA_LOAD{}, mB, SmemLayoutB{}(_, _, 0), Shape<TileN, TileK>{});
  auto* kernel = &gemm_kernel<decltype(tma_a), decltype(tma_b)>;
  const int smem_bytes = sizeof(SharedStorage);
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_bytes));
  const dim3 grid(ceil_div(m, TileM::value), ceil_div(n, TileN::value));
  kernel<<<grid, threads_per_cta, smem_bytes>>>(m, n, k, tma_a, tma_b, c);
  CHECK_CUDA(cudaGetLastError());
}

std::vector<float> reference_gemm(int m, int n, int k, const std::vector<Element>& a,
                                  const std::vector<Element>& b) {
  const std::vector<float> fa(a.begin(), a.end()), fb(b.begin(), b.end());
  std::vector<float> c(std::size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += fa[std::size_t(i) * k + l] * fb[std::size_t(j) * k + l];
      c[std::size_t(i) * n + j] = sum;
    }
  return c;
}

int main(int argc, char** argv) {
  const int m = int_flag(argc, argv, "--m", 512);
  const int n = int_flag(argc, argv, "--n", 1000);
  const int k = int_flag(argc, argv, "--k", 768);
  if (m < 1 || n < 8 || k < 8 || n % 8 != 0 || k % 8 != 0) {
    std::fprintf(stderr, "--n and --k must be positive multiples of 8: TMA takes strides of 16 bytes\n");
    return 2;
  }
  const std::vector<Element> a = random_values<Element>(std::size_t(m) * k, 1);
  const std::vector<Element> b = random_values<Element>(std::size_t(n) * k, 2);
  const DeviceArray<Element> da(a), db(b);
  const DeviceArray<Element> dc(std::vector<Element>(std::size_t(m) * n, Element(-3.0f)));
  launch_gemm(m, n, k, da.data(), db.data(), dc.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  // One rounding to half per element.
  return verdict("gemm_wgmma", relative_error(dc.to_host(), reference_gemm(m, n, k, a, b)), 1e-3);
}
