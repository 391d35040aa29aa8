// CUB's reductions behind the C door (launch_abi.h): DeviceSegmentedReduce with a segment for each row, or
// DeviceReduce for one row. Partial results are fp32 whatever x is, since the operator's are.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/cub.cuh>
#include <map>
#include <mutex>

#include "launch_abi.h"
#include "params.h"

namespace cub_reduce {

struct Sum {
  static constexpr float start = 0;
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};
struct Largest {
  static constexpr float start = -INFINITY;
  __host__ __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Least {
  static constexpr float start = INFINITY;
  __host__ __device__ float operator()(float a, float b) const { return fminf(a, b); }
};
struct Squared {
  template <class T>
  __host__ __device__ float operator()(T x) const {
    const float value = static_cast<float>(x);
    return value * value;
  }
};
/// Where row `row` begins.
struct RowStart {
  long long columns;
  __host__ __device__ long long operator()(long long row) const { return row * columns; }
};

/// CUB's scratch memory, as large as was ever asked for, so that a launch allocates once.
struct Scratch {
  void* memory = nullptr;
  std::size_t bytes = 0;
  cudaError_t hold(std::size_t wanted) {
    if (wanted <= bytes) return cudaSuccess;
    cudaFree(memory);
    memory = nullptr;
    bytes = 0;
    const cudaError_t error = cudaMalloc(&memory, wanted);
    if (error == cudaSuccess) bytes = wanted;
    return error;
  }
};

/// That of a stream: launches on two of them may run at once.
Scratch& scratch_of(cudaStream_t stream) {
  static std::map<cudaStream_t, Scratch> all;
  static std::mutex looking;
  const std::lock_guard<std::mutex> one(looking);
  return all[stream];  // stays where it is when others come
}

/// CUB asks twice: how much scratch, then the launch.
template <class Reduction>
cudaError_t twice(const Reduction& reduction, cudaStream_t stream) {
  Scratch& scratch = scratch_of(stream);
  std::size_t bytes = 0;
  cudaError_t error = reduction(nullptr, bytes);
  if (error == cudaSuccess) error = scratch.hold(bytes > 0 ? bytes : 1);
  return error == cudaSuccess ? reduction(scratch.memory, bytes) : error;
}

template <class Input, class Op>
cudaError_t reduce(const Params& p, Input x, Op op, cudaStream_t stream) {
  if (p.method == 1)
    return twice(
        [&](void* scratch, std::size_t& bytes) {
          return cub::DeviceReduce::Reduce(scratch, bytes, x, p.y, p.columns, op, Op::start, stream);
        },
        stream);
  const auto starts =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0LL), RowStart{p.columns});
  return twice(
      [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::Reduce(scratch, bytes, x, p.y, p.rows, starts, starts + 1, op,
                                                  Op::start, stream);
      },
      stream);
}

template <class T>
cudaError_t reduce_typed(const Params& p, cudaStream_t stream) {
  const T* x = static_cast<const T*>(p.x);
  switch (p.op) {
    case 0:
      return reduce(p, x, Sum{}, stream);
    case 1:
      return reduce(p, x, Largest{}, stream);
    case 2:
      return reduce(p, x, Least{}, stream);
    case 3:
      return reduce(p, thrust::make_transform_iterator(x, Squared{}), Sum{}, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace cub_reduce

extern "C" int cutelab_abi_version() { return CUTELAB_ABI_VERSION; }

extern "C" const char* cutelab_error_text(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace cub_reduce;
  if (!params || params_bytes != sizeof(Params) || !shape) return cudaErrorInvalidValue;
  const auto& p = *static_cast<const Params*>(params);
  if (p.rows < 1 || p.columns < 1 || (p.method == 1 && p.rows != 1)) return cudaErrorInvalidConfiguration;
  const auto on = static_cast<cudaStream_t>(stream);
  if (p.dtype == 0) return reduce_typed<__nv_bfloat16>(p, on);
  if (p.dtype == 1) return reduce_typed<__half>(p, on);
  return reduce_typed<float>(p, on);
}
