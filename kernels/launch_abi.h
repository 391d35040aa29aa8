#pragma once
// The C door of every compiled kernel package: `cutelab` compiles a package's kernel.cu into a shared library
// on demand and finds these symbols with dlopen. Plain C types only, so that the program itself needs neither
// CUDA nor nvcc.
//
//   int         cutelab_abi_version(void)                     CUTELAB_ABI_VERSION the library was compiled
//   with int         cutelab_launch(const void* params, unsigned long long params_bytes,
//                              const struct cutelab_launch_shape* shape, void* stream)
//                                                             enqueues one launch; returns a cudaError_t (0 =
//                                                             success)
//   const char* cutelab_error_text(int code)                  "name: description" of a cudaError_t
//   const char* cutelab_libraries(void)                       optional: names of the libraries that the
//                                                             package opens itself with dlopen, one a line;
//                                                             the program looks for them in more places first
//
// `params` is the package's own Params struct (params.h); a size that differs from the library's is refused.

#define CUTELAB_ABI_VERSION 1

struct cutelab_launch_shape {
  unsigned grid[3];             // CTAs
  unsigned block[3];            // threads
  unsigned cluster[3];          // CTAs per cluster; 1 1 1 = none
  unsigned dynamic_smem_bytes;  // per CTA
};
