#pragma once
// The C door that every version shares (launch_abi.h). A kernel.cu includes this last and defines
// cutelab_launch with dense_gemm::door.
#include "launch_abi.h"
#include "operands.cuh"

namespace dense_gemm {

/// Enqueues one launch in clusters of `cluster` CTAs, with the dynamic shared memory that the plan asks for.
template <class Descriptors>
cudaError_t launch(void (*kernel)(Params, Descriptors), const Params& p, const Descriptors& tma,
                   const cutelab_launch_shape& shape, int cluster, void* stream) {
  const cudaError_t opted = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 static_cast<int>(shape.dynamic_smem_bytes));
  if (opted != cudaSuccess) return opted;
  cudaLaunchAttribute of_cluster{};
  of_cluster.id = cudaLaunchAttributeClusterDimension;
  of_cluster.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(shape.grid[0]);
  how.blockDim = dim3(shape.block[0]);
  how.dynamicSmemBytes = shape.dynamic_smem_bytes;
  how.stream = static_cast<cudaStream_t>(stream);
  how.attrs = &of_cluster;
  how.numAttrs = 1;
  return cudaLaunchKernelEx(&how, kernel, p, tma);
}

/// Refuses what the compiled code cannot run, else builds the TMA descriptors and launches.
template <class Config, class Describe, class Descriptors>
int door(const Config& config, int cluster, Describe describe, void (*kernel)(Params, Descriptors),
         const void* params, unsigned long long params_bytes, const cutelab_launch_shape* shape,
         void* stream) {
  if (!params || params_bytes != sizeof(Params) || !shape) return cudaErrorInvalidValue;
  const auto& p = *static_cast<const Params*>(params);
  if (p.m < 1 || p.n < 1 || p.k < 1 || p.batch < 1 || p.tile_group < 1) return cudaErrorInvalidValue;
  if (shape->block[0] != static_cast<unsigned>(config.block()) || shape->grid[0] % cluster != 0 ||
      shape->dynamic_smem_bytes < static_cast<unsigned>(config.smem_bytes()))
    return cudaErrorInvalidConfiguration;
  return launch(kernel, p, describe(p), *shape, cluster, stream);
}

}  // namespace dense_gemm

extern "C" int cutelab_abi_version() { return CUTELAB_ABI_VERSION; }

extern "C" const char* cutelab_error_text(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}
