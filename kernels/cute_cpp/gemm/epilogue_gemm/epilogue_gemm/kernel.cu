// D = activation(alpha · A · Bᵀ + bias) + beta · C on Hopper, the way from sums to results made of steps
// (steps.cuh) that work in registers while the sums are still fp32. The rest is dense_gemm v8's kernel: D
// leaves by TMA while the next tile is multiplied.
//
// Compiled for one Config and one epilogue, given as GEMM_* and EPILOGUE_* macros.
#if EPILOGUE_GATED
#define GEMM_SHRINK 2
#endif
#ifndef EPILOGUE_STAGED
#define EPILOGUE_STAGED 0  // 1: C comes and the stored product leaves through stages of the ring
#endif
#define EPILOGUE_STAGED_C (EPILOGUE_STAGED && EPILOGUE_RESIDUAL)
// A gated C has one stage, the product has two: with both, the product leaves from registers.
#define EPILOGUE_STAGED_AUX (EPILOGUE_STAGED && EPILOGUE_AUX && !(EPILOGUE_GATED && EPILOGUE_RESIDUAL))
#if EPILOGUE_STAGED_C || EPILOGUE_STAGED_AUX
#define GEMM_SIDE (EPILOGUE_GATED && EPILOGUE_STAGED_C ? 1 : 2)
#define GEMM_SIDE_READS EPILOGUE_STAGED_C
#define GEMM_SIDE_WRITES EPILOGUE_STAGED_AUX
#endif
#include "../../dense_gemm/dense_gemm_v8/streamed_gemm.cuh"
#include "epilogue.cuh"
#include "params.h"
#include "user_steps.cuh"

namespace epilogue_gemm {

using KeptProduct = cute::conditional_t<EPILOGUE_STAGED_AUX, StagedAux, Aux>;
using AddedC = cute::conditional_t<EPILOGUE_STAGED_C, StagedResidual, Residual>;

auto before(const Params& p) {
#if EPILOGUE_BIAS && EPILOGUE_AUX
  return chain(Bias{p.bias}, KeptProduct{p.aux});
#elif EPILOGUE_BIAS
  return chain(Bias{p.bias});
#elif EPILOGUE_AUX
  return chain(KeptProduct{p.aux});
#else
  return chain();
#endif
}

auto after(const Params& p) {
#if EPILOGUE_RESIDUAL && EPILOGUE_AMAX
  return chain(AddedC{p.gemm.c, p.gemm.beta}, Amax{});
#elif EPILOGUE_RESIDUAL
  return chain(AddedC{p.gemm.c, p.gemm.beta});
#elif EPILOGUE_AMAX
  return chain(Amax{});
#else
  return chain();
#endif
}

using Chosen = Epilogue<decltype(before(Params{})), EPILOGUE_ACTIVATION, decltype(after(Params{})),
                        EPILOGUE_GATED != 0, EPILOGUE_AMAX != 0>;

}  // namespace epilogue_gemm

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace epilogue_gemm;
  using dense_gemm_v8::config;
  if (!params || params_bytes != sizeof(epilogue_gemm::Params) || !shape) return cudaErrorInvalidValue;
  if (shape->grid[0] > dense_gemm_v8::most_ctas) return cudaErrorInvalidConfiguration;
  const auto& p = *static_cast<const epilogue_gemm::Params*>(params);
  const auto describe = [&](const dense_gemm::Params& gemm) {
    return dense_gemm_v8::described(gemm, Chosen{before(p), after(p), p.amax});
  };
  return dense_gemm::door(config, config.cluster(), describe, dense_gemm_v8::dense_gemm_kernel<Chosen>,
                          &p.gemm, sizeof p.gemm, shape, stream);
}
