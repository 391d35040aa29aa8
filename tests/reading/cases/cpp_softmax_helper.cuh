#pragma once
// expect-pattern: P4 present
// What a kernel of another file steps: a running softmax, and a product that starts from zero.
template <class Params>
struct RunningSoftmax {
  __device__ void step(float score, float& peak, float& sum) {
    const float old = peak;
    peak = fmaxf(peak, score);
    sum = sum * exp2f(old - peak) + exp2f(score - peak);
  }
};

template <class Mma, class A, class B, class C>
__device__ void gemm_from_zero(Mma& mma, A const& a, B const& b, C& c) {
  mma.accumulate_ = GMMA::ScaleOut::Zero;
  cute::gemm(mma, a, b, c);
}
