// Host-side plumbing shared by the CuTe C++ examples: CUDA errors, device arrays, seeded input, comparison.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#define CHECK_CUDA(call)                                                                              \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(3);                                                                                   \
    }                                                                                                 \
  } while (false)

/// Device copy of a host array, freed with its owner.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& host) : size_(host.size()) {
    CHECK_CUDA(cudaMalloc(&data_, size_ * sizeof(T)));
    CHECK_CUDA(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* data() const { return data_; }
  std::vector<T> to_host() const {
    std::vector<T> host(size_);
    CHECK_CUDA(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Uniform in [-1, 1], always the same for the same seed.
template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<T> values(count);
  for (T& v : values) v = T(uniform(generator));
  return values;
}

/// ||got - expected|| / ||expected||.
template <class T>
double relative_error(const std::vector<T>& got, const std::vector<float>& expected) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double d = double(float(got[i])) - expected[i];
    difference += d * d;
    norm += double(expected[i]) * expected[i];
  }
  return std::sqrt(difference / norm);
}

/// The value of "--name=VALUE", or `otherwise`.
inline int int_flag(int argc, char** argv, const char* name, int otherwise) {
  const std::size_t length = std::strlen(name);
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
      return std::atoi(argv[i] + length + 1);
  return otherwise;
}

inline int verdict(const char* what, double error, double tolerance) {
  const bool right = error <= tolerance;
  std::printf("%s: relative error %.2e, tolerance %.0e: %s\n", what, error, tolerance,
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}
