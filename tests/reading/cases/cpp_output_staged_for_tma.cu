// The way out: scaled in registers, staged in shared memory, stored by TMA. What is staged for a product is another matter.
// expect-pattern: P8 present kind=smem_tma_store
using namespace cute;

__global__ void kernel(TmaD const tma_d, float alpha, float beta) {
  Tensor sA = make_tensor(make_smem_ptr(raw), LayoutA{});
  Tensor sD = make_tensor(make_smem_ptr(raw), LayoutD{});
  Tensor rC = make_tensor_like<float>(sD);
  Tensor rD = make_tensor_like<float>(sD);
  copy(rC, sA);  // expect-none: E1 staging
  gemm(mma, sA, sA, rD);
  axpby(beta, rC, alpha, rD);  // expect-no-evidence: P8
  copy_aligned(rD, sD);  // expect: E1 staging
  tma_store_fence();
  copy(tma_d, sD, gD);  // expect: D3 copy direction=store
  tma_store_arrive();
}

int main() {
  auto tma_d = make_tma_atom(SM90_TMA_STORE{}, d, LayoutD{}, tile);
  kernel<<<1, 128>>>(tma_d, 1.0f, 0.0f);
}
