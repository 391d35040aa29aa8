#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cutelab::kernel {

enum class DType { fp32, fp16, bf16 };
const char* name_of(DType dtype);         ///< "bf16"
std::size_t bytes_of(DType dtype);        ///< per element
DType dtype_of(const std::string& name);  ///< inverse of name_of; the name is known to be legal

/// Distance from 1 to the next value of the type: 2^-7 for bf16. The largest relative rounding error is half
/// of it.
double spacing_at_one(DType dtype);

/// How inputs are filled. Zeros are not among them: they hide unwritten outputs and run faster than data.
enum class Fill {
  uniform,     ///< [-1, 1)
  normal,      ///< mean 0, deviation 1
  adversarial  ///< magnitudes from 2^-20 to 2^6, signs mixed, some exact zeros and denormals
};
const char* name_of(Fill fill);

using Seed = std::uint64_t;

/// A named host tensor, row-major and dense: shape (a, b) has strides (b, 1).
struct Tensor {
  std::string name;
  DType dtype = DType::fp32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;

  Tensor() = default;
  Tensor(std::string tensor_name, DType type,
         std::vector<std::int64_t> extents);  ///< content is NaN: the canary

  std::int64_t size() const;  ///< elements
  double at(std::int64_t index) const;
  void set(std::int64_t index, double value);  ///< rounded to nearest even
  void fill(Fill kind, Seed seed);             ///< the same seed gives the same content on every machine
  std::string coordinates(std::int64_t index) const;  ///< "[17][4095]"
  std::string text() const;                           ///< "x bf16 (8192, 8192)"
};

/// bf16 and fp16 by their bit patterns; out-of-range values become infinities, NaN stays NaN.
std::uint16_t to_bf16(float value);
float from_bf16(std::uint16_t bits);
std::uint16_t to_fp16(float value);
float from_fp16(std::uint16_t bits);

}  // namespace cutelab::kernel
