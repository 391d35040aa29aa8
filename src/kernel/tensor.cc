#include "kernel/tensor.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>

namespace cutelab::kernel {

const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::fp32:
      return "fp32";
    case DType::fp16:
      return "fp16";
    case DType::bf16:
      return "bf16";
  }
  return "?";
}

std::size_t bytes_of(DType dtype) { return dtype == DType::fp32 ? 4 : 2; }

DType dtype_of(const std::string& name) {
  return name == "bf16" ? DType::bf16 : name == "fp16" ? DType::fp16 : DType::fp32;
}

double spacing_at_one(DType dtype) {
  switch (dtype) {
    case DType::fp32:
      return std::ldexp(1.0, -23);
    case DType::fp16:
      return std::ldexp(1.0, -10);
    case DType::bf16:
      return std::ldexp(1.0, -7);
  }
  return 0;
}

const char* name_of(Fill fill) {
  switch (fill) {
    case Fill::uniform:
      return "uniform [-1, 1)";
    case Fill::normal:
      return "normal";
    case Fill::adversarial:
      return "adversarial";
  }
  return "?";
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

// _Float16's conversions round to nearest even, as the device's do.
std::uint16_t to_fp16(float value) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)); }
float from_fp16(std::uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

Tensor::Tensor(std::string tensor_name, DType type, std::vector<std::int64_t> extents)
    : name(std::move(tensor_name)), dtype(type), shape(std::move(extents)) {
  // All bits set is a NaN in each of the types.
  data.assign(static_cast<std::size_t>(size()) * bytes_of(dtype), std::byte{0xFF});
}

std::int64_t Tensor::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

double Tensor::at(std::int64_t index) const {
  const std::byte* at = data.data() + static_cast<std::size_t>(index) * bytes_of(dtype);
  if (dtype == DType::fp32) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return dtype == DType::bf16 ? from_bf16(bits) : from_fp16(bits);
}

void Tensor::set(std::int64_t index, double value) {
  std::byte* at = data.data() + static_cast<std::size_t>(index) * bytes_of(dtype);
  const auto single = static_cast<float>(value);
  if (dtype == DType::fp32) {
    std::memcpy(at, &single, sizeof single);
    return;
  }
  const std::uint16_t bits = dtype == DType::bf16 ? to_bf16(single) : to_fp16(single);
  std::memcpy(at, &bits, sizeof bits);
}

namespace {

/// splitmix64 (Steele, Lea, Flood 2014): one 64-bit state, every seed good, the same on every machine.
class Random {
 public:
  explicit Random(Seed seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  ///< [0, 1)

 private:
  std::uint64_t state_;
};

double drawn(Fill kind, Random& random) {
  switch (kind) {
    case Fill::uniform:
      return 2 * random.unit() - 1;
    case Fill::normal:  // Box-Muller, one of the pair
      return std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(2 * std::numbers::pi * random.unit());
    case Fill::adversarial: {
      const std::uint64_t choice = random.bits() % 64;
      const double sign = random.bits() % 2 ? 1 : -1;
      if (choice == 0) return 0;
      if (choice == 1) return sign * 0x1p-130;  // a bf16 and fp32 denormal; zero in fp16
      return sign * std::ldexp(1 + random.unit(), static_cast<int>(random.bits() % 26) - 20);
    }
  }
  return 0;
}

}  // namespace

void Tensor::fill(Fill kind, Seed seed) {
  Random random(seed);
  for (std::int64_t i = 0, n = size(); i < n; ++i) set(i, drawn(kind, random));
}

std::string Tensor::coordinates(std::int64_t index) const {
  std::string out;
  for (std::size_t d = shape.size(); d-- > 0;) {
    out = fmt::format("[{}]", index % shape[d]) + out;
    index /= shape[d];
  }
  return out;
}

std::string Tensor::text() const {
  return fmt::format("{} {} ({}{})", name, name_of(dtype), fmt::join(shape, ", "),
                     shape.size() == 1 ? "," : "");
}

}  // namespace cutelab::kernel
