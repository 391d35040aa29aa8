// Turns, stores under products, a second set of sums, exchanges within four lanes: and what only looks so.
#include <cute/tensor.hpp>

using cutlass::arch::NamedBarrier;

__device__ void take_turns(int group) {
  NamedBarrier::sync(256, first_turn + group);        // expect: D5 turn
  NamedBarrier::arrive(256, first_turn + 1 - group);
  NamedBarrier::sync(128, store_barrier + group);     // expect-none: D5 turn
}

__device__ void store_slice() { tma_store_arrive(); }

template <class Sums, class A, class B>
__device__ void multiply(Sums& total, A a, B b, int depth) {
  const auto stage = [&](auto& sums, const auto& meanwhile) {
    gemm(mma, a, b, sums);
    warpgroup_commit_batch();
    meanwhile();                                      // expect: D4 store-under-products
    warpgroup_wait<0>();
  };
  const auto plain = [&](auto& sums, const auto& nothing) {
    gemm(mma, a, b, sums);
    warpgroup_commit_batch();
    nothing();                                        // expect-none: D4 store-under-products
    warpgroup_wait<0>();
    store_slice();                                    // expect-none: D4 store-under-products
  };
  auto sums = make_fragment_like(total);
  stage(total, [&] { store_slice(); });
  for (int k = 0; k < depth; ++k) {
    plain(sums, [] {});
    for (int i = 0; i < size(sums); ++i) total(i) += sums(i);  // expect: D4 promoted-sums
  }
}

template <class Sums, class Row>
__device__ void add_row(Sums& total, Row row, int rows) {
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < size(row); ++i) total(i) += row(i);    // expect-none: D4 promoted-sums
}

__device__ void transpose(unsigned (&r)[4]) {
  for (int bit = 1; bit < 4; bit *= 2) {
    const bool high = threadIdx.x & bit;
    const unsigned got = __shfl_xor_sync(~0u, high ? r[0] : r[bit], bit);  // expect: D4 quad-exchange
    (high ? r[0] : r[bit]) = got;
  }
}

__device__ float sum_of_warp(float value) {
  for (int lane = 16; lane > 0; lane /= 2)
    value += __shfl_xor_sync(~0u, value, lane);                // expect-none: D4 quad-exchange
  return value;
}

__global__ void kernel(float* out) { take_turns(threadIdx.x / 128); }
