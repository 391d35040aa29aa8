// Reference operators on the GPU: a thread per element, row or state (ops.h), double precision. Slow next to
// any kernel and far faster than the host, whose functions they are: `--check` asks them where the host would
// take long.
#include <cuda_runtime.h>

#include "launch_abi.h"
#include "ops.h"

namespace cutelab_reference {

template <class Problem>
__global__ void reference_kernel(const __grid_constant__ Problem p) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long item = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; item < p.items();
       item += step)
    compute(p, item);
}

template <class Problem>
int launch(const Problem& p, void* stream) {
  constexpr int threads = 128;
  const long long blocks = (p.items() + threads - 1) / threads;
  if (blocks == 0) return cudaSuccess;
  reference_kernel<<<static_cast<unsigned>(blocks < 65536 ? blocks : 65536), threads, 0,
                     static_cast<cudaStream_t>(stream)>>>(p);
  return cudaGetLastError();
}

}  // namespace cutelab_reference

extern "C" int cutelab_abi_version() { return CUTELAB_ABI_VERSION; }

extern "C" const char* cutelab_error_text(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}

namespace cutelab_reference {

int launch(const Call& call, void* stream) {
  switch (call.op) {
    case Call::gemm_op:
      return launch(call.gemm, stream);
    case Call::attention_op:
      return launch(call.attention, stream);
    case Call::rows_op:
      return launch(call.rows, stream);
    case Call::state_space_op:
      return call.state_space.states > StateSpace::most_states ? cudaErrorInvalidValue
                                                               : launch(call.state_space, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace cutelab_reference

/// One call or several, one after the other.
extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace cutelab_reference;
  if (!params || params_bytes == 0 || params_bytes % sizeof(Call) != 0 || !shape)
    return cudaErrorInvalidValue;
  const auto* calls = static_cast<const Call*>(params);
  for (unsigned long long i = 0; i < params_bytes / sizeof(Call); ++i)
    if (const int code = launch(calls[i], stream)) return code;
  return cudaSuccess;
}
