// TMA's instructions called by hand: a descriptor, shared memory, coordinates. Each line needs what it needs.
// expect-arch: sm_90a
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
using namespace cute;
using cutlass::arch::NamedBarrier;             // expect-none: D5 barrier
using Empty = cutlass::arch::ClusterBarrier;   // expect-need: sm_90 ClusterBarrier
using Fetch = SM90_TMA_LOAD_2D;

struct Tile {
  int n, batch;
};
struct Params {
  const void* a;
  void* d;
  int m, n;
};

inline auto matrix(const void* data, int m, int n) {
  return make_tensor(make_gmem_ptr(static_cast<half_t*>(const_cast<void*>(data))), make_shape(m, n));
}
inline auto side(const Params& p, const void* data) {
  return make_tma_copy(SM90_TMA_LOAD{}, matrix(data, p.m, p.n / 2), Layout<Shape<_64, _64>>{});  // expect: H1 tma-descriptor tensor=data
}

template <class Tma>
__device__ void store(const Tma& tma, half_t* raw, const Tile& tile, int row) {
  Tensor sD = make_tensor(make_smem_ptr(raw), Layout<Shape<_64, _64>>{});
  SM90_TMA_STORE_3D::copy(tma.d.get_tma_descriptor(), raw_pointer_cast(sD.data()), tile.n, row, tile.batch);  // expect: D3 copy direction=store source=raw_pointer_cast(sD.data()) destination=tma.d
  SM90_TMA_REDUCE_ADD_2D::copy(&tma.sums, raw, tile.n, row);  // expect: D3 copy direction=reduce source=raw destination=tma.sums
}

template <class Tma>
__device__ void load(const Tma& tma, uint64_t* full, half_t* raw, uint16_t mask, int k) {
  SM90_TMA_LOAD::PREFETCH::copy(tma.a.get_tma_descriptor(), k, 0);  // expect-none: D3 copy
  Fetch::copy(tma.a.get_tma_descriptor(), full, 0, raw, k, 0);      // expect: D3 copy direction=load source=tma.a destination=raw barrier=full
  SM90_TMA_LOAD_MULTICAST_2D::copy(tma.b.get_tma_descriptor(), full, mask, 0, raw, k, 0);  // expect: D3 copy direction=load source=tma.b destination=raw multicast_mask=mask
}

template <class Tma>
__global__ void kernel(const __grid_constant__ Tma tma, half_t* raw) {
  warpgroup_arrive();  // expect-need: sm_90a warpgroup_arrive
  load(tma, nullptr, raw, 1, 0);
  store(tma, raw, Tile{}, 0);
}
