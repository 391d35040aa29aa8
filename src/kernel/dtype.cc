#include "kernel/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cutelab::kernel {
namespace {

/// A binary float of eight bits.
struct SmallFloat {
  int mantissa;  ///< bits
  int bias;
  double largest;
  bool infinities;

  int exponent_bits() const { return 7 - mantissa; }
  double decode(unsigned bits) const {
    const double sign = bits & 0x80u ? -1 : 1;
    const unsigned exponent = (bits & 0x7Fu) >> mantissa;
    const unsigned fraction = bits & ((1u << mantissa) - 1);
    const unsigned top = (1u << exponent_bits()) - 1;
    if (infinities && exponent == top)
      return fraction ? std::numeric_limits<double>::quiet_NaN()
                      : sign * std::numeric_limits<double>::infinity();
    if (!infinities && (bits & 0x7Fu) == 0x7Fu) return std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - mantissa);
    return sign * std::ldexp((1u << mantissa) + fraction, static_cast<int>(exponent) - bias - mantissa);
  }
  unsigned encode(double value) const {
    if (std::isnan(value)) return 0x7Fu;
    const unsigned sign = std::signbit(value) ? 0x80u : 0;
    double magnitude = std::min(std::abs(value), largest);
    int exponent = magnitude > 0 ? std::ilogb(magnitude) : 1 - bias;
    exponent = std::max(exponent, 1 - bias);  // below are the denormals, all with one spacing
    auto steps = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, mantissa - exponent)));
    if (steps >> (mantissa + 1)) {  // rounded up to the next power of two
      steps >>= 1;
      ++exponent;
    }
    if (!(steps >> mantissa)) return sign | steps;  // denormal or zero
    return sign | (static_cast<unsigned>(exponent + bias) << mantissa) | (steps & ((1u << mantissa) - 1));
  }
};

constexpr SmallFloat e4m3{3, 7, 448, false};
constexpr SmallFloat e5m2{2, 15, 57344, true};

double rounded_to(double value, double least, double most) {
  return std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), least, most);
}

template <class T>
T load(const std::byte* data, std::int64_t index) {
  T value{};
  std::memcpy(&value, data + static_cast<std::size_t>(index) * sizeof value, sizeof value);
  return value;
}
template <class T>
void keep(std::byte* data, std::int64_t index, T value) {
  std::memcpy(data + static_cast<std::size_t>(index) * sizeof value, &value, sizeof value);
}

float to_tf32(float value) {
  if (!std::isfinite(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0xFFFu + ((bits >> 13) & 1u)) & ~0x1FFFu);
}

std::uint8_t to_ue8m0(double value) {
  if (std::isnan(value)) return 0xFF;
  if (value <= 0) return 0;
  return static_cast<std::uint8_t>(std::clamp(std::round(std::log2(value)) + 127, 0.0, 254.0));
}

double int4_at(const std::byte* data, std::int64_t index) {
  const auto byte = std::to_integer<unsigned>(data[index / 2]);
  const int nibble = static_cast<int>(index % 2 ? byte >> 4 : byte & 0xFu);
  return nibble < 8 ? nibble : nibble - 16;
}

void keep_int4(std::byte* data, std::int64_t index, double value) {
  const auto nibble = static_cast<unsigned>(static_cast<int>(rounded_to(value, -8, 7))) & 0xFu;
  const auto byte = std::to_integer<unsigned>(data[index / 2]);
  data[index / 2] = std::byte(index % 2 ? (byte & 0x0Fu) | (nibble << 4) : (byte & 0xF0u) | nibble);
}

struct Traits {
  DType dtype;
  const char* name;
  int bits;
  double spacing;
  double largest;
};

/// In the order of the enumeration.
const Traits& traits(DType dtype) {
  static const Traits all[] = {{DType::fp32, "fp32", 32, 0x1p-23, 0x1.fffffep127},
                               {DType::fp16, "fp16", 16, 0x1p-10, 65504},
                               {DType::bf16, "bf16", 16, 0x1p-7, 0x1.fep127},
                               {DType::tf32, "tf32", 32, 0x1p-10, 0x1.ffcp127},
                               {DType::fp8_e4m3, "e4m3", 8, 0x1p-3, 448},
                               {DType::fp8_e5m2, "e5m2", 8, 0x1p-2, 57344},
                               {DType::int8, "int8", 8, 1, 127},
                               {DType::int4, "int4", 4, 1, 7},
                               {DType::ue8m0, "ue8m0", 8, 1, 0x1p127},
                               {DType::int32, "int32", 32, 1, 2147483647}};
  return all[static_cast<std::size_t>(dtype)];
}

}  // namespace

const std::vector<DType>& all_dtypes() {
  static const std::vector<DType> all = {DType::fp32,     DType::fp16,     DType::bf16, DType::tf32,
                                         DType::fp8_e4m3, DType::fp8_e5m2, DType::int8, DType::int4,
                                         DType::ue8m0,    DType::int32};
  return all;
}

const char* name_of(DType dtype) { return traits(dtype).name; }
int bits_of(DType dtype) { return traits(dtype).bits; }
std::size_t bytes_of(DType dtype) { return static_cast<std::size_t>((bits_of(dtype) + 7) / 8); }
std::size_t bytes_of(DType dtype, std::int64_t elements) {
  return (static_cast<std::size_t>(elements) * static_cast<std::size_t>(bits_of(dtype)) + 7) / 8;
}
bool is_integer(DType dtype) { return dtype == DType::int8 || dtype == DType::int4 || dtype == DType::int32; }
double spacing_at_one(DType dtype) { return traits(dtype).spacing; }
double largest(DType dtype) { return traits(dtype).largest; }

DType dtype_of(const std::string& name) {
  for (const DType dtype : all_dtypes())
    if (name == name_of(dtype)) return dtype;
  return DType::fp32;
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

double decode(DType dtype, const std::byte* data, std::int64_t index) {
  switch (dtype) {
    case DType::fp32:
    case DType::tf32:
      return load<float>(data, index);
    case DType::bf16:
      return from_bf16(load<std::uint16_t>(data, index));
    case DType::fp16:
      return from_fp16(load<std::uint16_t>(data, index));
    case DType::fp8_e4m3:
      return e4m3.decode(load<std::uint8_t>(data, index));
    case DType::fp8_e5m2:
      return e5m2.decode(load<std::uint8_t>(data, index));
    case DType::int8:
      return load<std::int8_t>(data, index);
    case DType::int4:
      return int4_at(data, index);
    case DType::ue8m0: {
      const int exponent = load<std::uint8_t>(data, index);
      return exponent == 0xFF ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, exponent - 127);
    }
    case DType::int32:
      return load<std::int32_t>(data, index);
  }
  return 0;
}

void encode(DType dtype, std::byte* data, std::int64_t index, double value) {
  switch (dtype) {
    case DType::fp32:
      return keep(data, index, static_cast<float>(value));
    case DType::tf32:
      return keep(data, index, to_tf32(static_cast<float>(value)));
    case DType::bf16:
      return keep(data, index, to_bf16(static_cast<float>(value)));
    case DType::fp16:
      return keep(data, index, to_fp16(static_cast<float>(value)));
    case DType::fp8_e4m3:
      return keep(data, index, static_cast<std::uint8_t>(e4m3.encode(value)));
    case DType::fp8_e5m2:
      return keep(data, index, static_cast<std::uint8_t>(e5m2.encode(value)));
    case DType::int8:
      return keep(data, index, static_cast<std::int8_t>(rounded_to(value, -128, 127)));
    case DType::int4:
      return keep_int4(data, index, value);
    case DType::ue8m0:
      return keep(data, index, to_ue8m0(value));
    case DType::int32:
      return keep(data, index, static_cast<std::int32_t>(rounded_to(value, -2147483648.0, 2147483647.0)));
  }
}

}  // namespace cutelab::kernel
