#pragma once
// The C door (launch_abi.h) of a host function of a program in CUDA C++: included after the program by the
// unit that `cutelab import` compiles of it, which defines
//
//   void cutelab_program_call(const void* const* at, cudaStream_t stream)     calls the function with the
//   arguments at these places
//
// `params` is the block of arguments of exported_door.c. The program's own code stays as it is: what it asks
// of the CUDA runtime goes through the functions below (linked with --wrap), so that its launches go to the
// stream that was asked for, what it would wait for is left to the caller, and an error comes back from the
// door in place of ending the process.
//
// A second function, cutelab_record_launches, makes the same call without a GPU and tells which launches came
// of it, one a line: "symbol grid-x grid-y grid-z block-x … cluster-x … dynamic-shared-memory-bytes".
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "launch_abi.h"

void cutelab_program_call(const void* const* at, cudaStream_t stream);

#define CUTELAB_REAL(name) __real_##name
#define CUTELAB_WRAP(name) __wrap_##name

extern "C" {
cudaError_t CUTELAB_REAL(cudaLaunchKernel)(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t CUTELAB_REAL(cudaLaunchKernelExC)(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t CUTELAB_REAL(cudaFuncSetAttribute)(const void*, cudaFuncAttribute, int);
cudaError_t CUTELAB_REAL(cudaGetLastError)();
cudaError_t CUTELAB_REAL(cudaPeekAtLastError)();
cudaError_t CUTELAB_REAL(cudaDeviceSynchronize)();
cudaError_t CUTELAB_REAL(cudaStreamSynchronize)(cudaStream_t);
cudaError_t CUTELAB_REAL(cudaGetDevice)(int*);
cudaError_t CUTELAB_REAL(cudaGetDriverEntryPointByVersion)(const char*, void**, unsigned, unsigned long long,
                                                           cudaDriverEntryPointQueryResult*);
#if CUDART_VERSION >= 13000
// What `kernel<<<…>>>` becomes from CUDA 13 on.
cudaError_t CUTELAB_REAL(__cudaGetKernel)(cudaKernel_t*, const void*);
cudaError_t CUTELAB_REAL(__cudaLaunchKernel)(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
#endif
void CUTELAB_REAL(__cudaRegisterFunction)(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                                          dim3*, int*);
}

namespace cutelab_door {

enum : unsigned { most_arguments = 64, most_kernels = 512 };

struct Call {
  bool inside = false;     ///< a call of the program's function is being made
  bool recording = false;  ///< without a GPU: launches are told, not made
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaSuccess;  ///< the first
  char* told = nullptr;
  size_t room = 0, used = 0;
};
inline Call& call() {
  static Call only;
  return only;
}

struct Kernel {
  const void* host;
  const char* symbol;
};
struct Kernels {
  Kernel all[most_kernels];
  unsigned count;
};
inline Kernels& kernels() {
  static Kernels only;
  return only;
}

/// Keeps the first error; the program itself is told of none.
inline cudaError_t keep(cudaError_t code) {
  if (!call().inside) return code;
  if (code != cudaSuccess && call().error == cudaSuccess) call().error = code;
  return cudaSuccess;
}

inline const char* symbol_of(const void* host) {
  for (unsigned i = 0; i < kernels().count; ++i)
    if (kernels().all[i].host == host) return kernels().all[i].symbol;
  return "?";
}

inline void tell(const void* kernel, dim3 grid, dim3 block, dim3 cluster, size_t dynamic_smem_bytes) {
  Call& c = call();
  const int length = snprintf(c.told + c.used, c.room - c.used, "%s %u %u %u %u %u %u %u %u %u %zu\n",
                              symbol_of(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z, cluster.x,
                              cluster.y, cluster.z, dynamic_smem_bytes);
  if (length > 0 && static_cast<size_t>(length) < c.room - c.used)
    c.used += static_cast<size_t>(length);
  else
    keep(cudaErrorMemoryAllocation);
}

/// Stands for a function of the driver while no GPU is there: TMA descriptors are not looked into.
inline CUresult driver_stands_in() { return CUDA_SUCCESS; }

inline int make_call(const void* params, unsigned long long params_bytes, cudaStream_t stream) {
  uint32_t count;
  struct Place {
    uint32_t offset, kind;
  };
  if (!params || params_bytes < 2 * sizeof count) return cudaErrorInvalidValue;
  memcpy(&count, params, sizeof count);
  if (count > most_arguments || params_bytes < 2 * sizeof count + count * sizeof(Place))
    return cudaErrorInvalidValue;
  const char* block = static_cast<const char*>(params);
  const Place* places = reinterpret_cast<const Place*>(block + 2 * sizeof count);
  const void* at[most_arguments] = {};
  for (uint32_t i = 0; i < count; ++i) {
    if (places[i].offset >= params_bytes) return cudaErrorInvalidValue;
    at[i] = block + places[i].offset;
  }
  Call& c = call();
  c.inside = true;
  c.stream = stream;
  c.error = cudaSuccess;
  cutelab_program_call(at, stream);
  c.inside = false;
  if (!c.recording && c.error == cudaSuccess) c.error = CUTELAB_REAL(cudaGetLastError)();
  return c.error;
}

}  // namespace cutelab_door

extern "C" {

void CUTELAB_WRAP(__cudaRegisterFunction)(void** handle, const char* host, char* device, const char* name,
                                          int threads, uint3* tid, uint3* bid, dim3* block, dim3* grid,
                                          int* warp) {
  auto& known = cutelab_door::kernels();
  if (known.count < cutelab_door::most_kernels) known.all[known.count++] = {host, name};
  CUTELAB_REAL(__cudaRegisterFunction)(handle, host, device, name, threads, tid, bid, block, grid, warp);
}

cudaError_t CUTELAB_WRAP(cudaLaunchKernel)(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                           size_t dynamic_smem_bytes, cudaStream_t stream) {
  auto& c = cutelab_door::call();
  if (c.inside && c.recording)
    return cutelab_door::tell(kernel, grid, block, dim3(1, 1, 1), dynamic_smem_bytes), cudaSuccess;
  if (c.inside && c.error != cudaSuccess) return cudaSuccess;
  return cutelab_door::keep(CUTELAB_REAL(cudaLaunchKernel)(kernel, grid, block, arguments, dynamic_smem_bytes,
                                                           stream || !c.inside ? stream : c.stream));
}

#if CUDART_VERSION >= 13000
cudaError_t CUTELAB_WRAP(__cudaGetKernel)(cudaKernel_t* kernel, const void* host) {
  auto& c = cutelab_door::call();
  if (!c.inside || !c.recording) return CUTELAB_REAL(__cudaGetKernel)(kernel, host);
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}

cudaError_t CUTELAB_WRAP(__cudaLaunchKernel)(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                             size_t dynamic_smem_bytes, cudaStream_t stream) {
  auto& c = cutelab_door::call();
  if (c.inside && c.recording)
    return cutelab_door::tell(kernel, grid, block, dim3(1, 1, 1), dynamic_smem_bytes), cudaSuccess;
  if (c.inside && c.error != cudaSuccess) return cudaSuccess;
  return cutelab_door::keep(CUTELAB_REAL(__cudaLaunchKernel)(
      kernel, grid, block, arguments, dynamic_smem_bytes, stream || !c.inside ? stream : c.stream));
}
#endif

cudaError_t CUTELAB_WRAP(cudaLaunchKernelExC)(const cudaLaunchConfig_t* config, const void* kernel,
                                              void** arguments) {
  auto& c = cutelab_door::call();
  if (c.inside && c.recording) {
    dim3 cluster(1, 1, 1);
    for (unsigned i = 0; i < config->numAttrs; ++i)
      if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
        cluster = dim3(config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y,
                       config->attrs[i].val.clusterDim.z);
    cutelab_door::tell(kernel, config->gridDim, config->blockDim, cluster, config->dynamicSmemBytes);
    return cudaSuccess;
  }
  if (c.inside && c.error != cudaSuccess) return cudaSuccess;
  cudaLaunchConfig_t there = *config;
  if (!there.stream && c.inside) there.stream = c.stream;
  return cutelab_door::keep(CUTELAB_REAL(cudaLaunchKernelExC)(&there, kernel, arguments));
}

cudaError_t CUTELAB_WRAP(cudaFuncSetAttribute)(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (cutelab_door::call().inside && cutelab_door::call().recording) return cudaSuccess;
  return cutelab_door::keep(CUTELAB_REAL(cudaFuncSetAttribute)(kernel, attribute, value));
}

// Errors are the door's to tell, and what the program would wait for is the caller's to wait for.
cudaError_t CUTELAB_WRAP(cudaGetLastError)() {
  if (cutelab_door::call().inside && cutelab_door::call().recording) return cudaSuccess;
  return cutelab_door::keep(CUTELAB_REAL(cudaGetLastError)());
}

cudaError_t CUTELAB_WRAP(cudaPeekAtLastError)() {
  if (cutelab_door::call().inside && cutelab_door::call().recording) return cudaSuccess;
  return cutelab_door::keep(CUTELAB_REAL(cudaPeekAtLastError)());
}

cudaError_t CUTELAB_WRAP(cudaDeviceSynchronize)() {
  return cutelab_door::call().inside ? cudaSuccess : CUTELAB_REAL(cudaDeviceSynchronize)();
}

cudaError_t CUTELAB_WRAP(cudaStreamSynchronize)(cudaStream_t stream) {
  return cutelab_door::call().inside ? cudaSuccess : CUTELAB_REAL(cudaStreamSynchronize)(stream);
}

cudaError_t CUTELAB_WRAP(cudaGetDevice)(int* device) {
  if (!cutelab_door::call().inside || !cutelab_door::call().recording)
    return CUTELAB_REAL(cudaGetDevice)(device);
  *device = 0;
  return cudaSuccess;
}

cudaError_t CUTELAB_WRAP(cudaGetDriverEntryPointByVersion)(const char* name, void** function,
                                                           unsigned version, unsigned long long flags,
                                                           cudaDriverEntryPointQueryResult* found) {
  if (!cutelab_door::call().inside || !cutelab_door::call().recording)
    return CUTELAB_REAL(cudaGetDriverEntryPointByVersion)(name, function, version, flags, found);
  *function = reinterpret_cast<void*>(&cutelab_door::driver_stands_in);
  if (found) *found = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

int cutelab_abi_version() { return CUTELAB_ABI_VERSION; }

const char* cutelab_error_text(int code) { return cudaGetErrorString(static_cast<cudaError_t>(code)); }

int cutelab_launch(const void* params, unsigned long long params_bytes, const struct cutelab_launch_shape*,
                   void* stream) {  // the program's own host code computes the shape
  cutelab_door::call().recording = false;
  return cutelab_door::make_call(params, params_bytes, static_cast<cudaStream_t>(stream));
}

int cutelab_record_launches(const void* params, unsigned long long params_bytes, char* told,
                            unsigned long long room) {
  auto& c = cutelab_door::call();
  c.recording = true;
  c.told = told;
  c.room = room;
  c.used = 0;
  if (room > 0) *told = '\0';
  return cutelab_door::make_call(params, params_bytes, nullptr);
}
}
