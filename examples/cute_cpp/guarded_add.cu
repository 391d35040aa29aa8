// C = A + B over column-major matrices: 16 bytes a thread, tiles at the border guarded by coordinates.
//
// Layouts: A, B and C (M, N) : (1, ld). A CTA has a tile of 128 x 8 elements, a thread of it four along a
// column.
//
// usage: guarded_add [M N]
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cmath>
#include <cstdio>
#include <cute/tensor.hpp>

using namespace cute;

using TileM = Int<128>;
using TileN = Int<8>;
using Threads = Layout<Shape<_32, _8>>;  // four elements of each thread below each other
constexpr int threads_per_cta = 256;

__global__ __launch_bounds__(threads_per_cta) void add_kernel(int m, int n, const float* A, int ldA,
                                                              const float* B, int ldB, float* C, int ldC) {
  const auto tiler = make_shape(TileM{}, TileN{});
  const auto tile = make_coord(blockIdx.x, blockIdx.y);
  const auto extents = make_shape(m, n);
  Tensor gA = local_tile(make_tensor(make_gmem_ptr(A), extents, make_stride(_1{}, ldA)), tiler, tile);
  Tensor gB = local_tile(make_tensor(make_gmem_ptr(B), extents, make_stride(_1{}, ldB)), tiler, tile);
  Tensor gC = local_tile(make_tensor(make_gmem_ptr(C), extents, make_stride(_1{}, ldC)), tiler, tile);
  Tensor cC = local_tile(make_identity_tensor(extents), tiler, tile);  // coordinates of gC

  using Vector = Copy_Atom<UniversalCopy<uint128_t>, float>;
  const auto copies = make_tiled_copy(Vector{}, Threads{}, Layout<Shape<_4, _1>>{});
  const auto mine = copies.get_slice(threadIdx.x);
  Tensor tA = mine.partition_S(gA);  // (4, 1, 1)
  Tensor tB = mine.partition_S(gB);
  Tensor tC = mine.partition_D(gC);
  Tensor rA = make_fragment_like(tA);
  Tensor rB = make_fragment_like(tB);
  // M is a multiple of four: the first element decides on the vector.
  if (!elem_less(mine.partition_D(cC)(0), make_coord(m, n))) return;
  copy(copies, tA, rA);
  copy(copies, tB, rB);
  CUTE_UNROLL
  for (int i = 0; i < size(rA); ++i) rA(i) += rB(i);
  copy(copies, rA, tC);
}

void add(int m, int n, const float* A, int ldA, const float* B, int ldB, float* C, int ldC,
         cudaStream_t stream = 0) {
  const dim3 grid(ceil_div(m, TileM::value), ceil_div(n, TileN::value));
  add_kernel<<<grid, threads_per_cta, 0, stream>>>(m, n, A, ldA, B, ldB, C, ldC);
}

int main(int argc, char** argv) {
  int m = 4096;
  if (argc >= 2) sscanf(argv[1], "%d", &m);
  int n = 1000;
  if (argc >= 3) sscanf(argv[2], "%d", &n);
  if (m < 4 || m % 4 != 0 || n < 1) {
    std::fprintf(stderr, "M must be a positive multiple of 4: a thread takes 16 bytes\n");
    return 2;
  }
  thrust::host_vector<float> h_A(m * n);
  thrust::host_vector<float> h_B(m * n);
  for (int i = 0; i < m * n; ++i) {
    h_A[i] = float(i % 1000) / 8;
    h_B[i] = float(i % 77) / 4;
  }
  thrust::device_vector<float> d_A = h_A;
  thrust::device_vector<float> d_B = h_B;
  thrust::device_vector<float> d_C(m * n);
  add(m, n, d_A.data().get(), m, d_B.data().get(), m, d_C.data().get(), m);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  const thrust::host_vector<float> h_C = d_C;
  for (int i = 0; i < m * n; ++i)
    if (h_C[i] != h_A[i] + h_B[i]) {
      std::printf("guarded_add: element %d is wrong\n", i);
      return 1;
    }
  std::printf("guarded_add: right\n");
  return 0;
}
