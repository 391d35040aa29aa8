// dense_gemm, whichever version suits the problem: plan.cc says which, as GEMM_VERSION.
#if GEMM_VERSION == 6
#include "../dense_gemm_v6/kernel.cu"
#elif GEMM_VERSION == 7
#include "../dense_gemm_v7/kernel.cu"
#elif GEMM_VERSION == 8
#include "../dense_gemm_v8/kernel.cu"
#else
#error "GEMM_VERSION is 6, 7 or 8"
#endif
