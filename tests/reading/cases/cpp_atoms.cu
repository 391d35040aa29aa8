// What the atoms of tiled operations are made of; what a product multiplies.
#include <cute/tensor.hpp>
using namespace cute;

template <class Mma, class A, class B, class C>
__global__ void multiply(Mma mma, A tCrA, B tCrB, C tCrC, int steps) {
  gemm(tCrA, tCrB, tCrC);  // expect: D4 gemm a=tCrA b=tCrB accumulators=tCrC
  for (int part = 0; part < steps; ++part)
    gemm(mma, tCrA(_, _, part), tCrB(_, _, part), tCrC);  // expect: D4 gemm mma=mma accumulators=tCrC a=tCrA(_,_,part)
}

void launch(int steps) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{},  // expect: D4 mma atoms=(2,2):(1,2) permutation=(32,32,16) instruction_mnk=(16,8,16)
                            Tile<_32, _32, _16>{});
  Copy_Atom<SM75_U32x4_LDSM_N, half_t> rows;  // expect: D4 matrix-copy instruction=ldmatrix matrices=4 transposed=false
  Copy_Atom<SM75_U16x4_LDSM_T, half_t> turned;  // expect: D4 matrix-copy instruction=ldmatrix matrices=2 transposed=true
  Copy_Atom<SM90_U32x2_STSM_N, half_t> out;  // expect: D3 copy instruction=stmatrix matrices=2 transposed=false
  Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t> wide;  // expect: D3 copy operation=SM80_CP_ASYNC_CACHEALWAYS bits=128
  Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint64_t>, half_t> narrow;  // expect: D3 copy bits=64
  auto tensor_cores = make_tiled_mma(  // expect: D4 mma instruction_mnk=(256,128,16)
      SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128, UMMA::Major::K, UMMA::Major::K>{});
  multiply<<<1, 128>>>(mma, 0, 0, 0, steps);
}
