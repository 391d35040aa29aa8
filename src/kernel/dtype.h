#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cutelab::kernel {

/// Element types of tensors. fp8 as in the OCP 8-bit floating point specification, ue8m0 (a power of two, the
/// scale of a microscaled block) as in the OCP microscaling specification, tf32 in 32 bits with 10 of
/// mantissa, int4 two to a byte with the lower index in the lower four bits.
enum class DType { fp32, fp16, bf16, tf32, fp8_e4m3, fp8_e5m2, int8, int4, ue8m0, int32 };

/// Every type, in the order above.
const std::vector<DType>& all_dtypes();
const char* name_of(DType dtype);  ///< "bf16", "e4m3"
int bits_of(DType dtype);          ///< per element
/// Of a whole number of bytes; 1 for int4, of which two share a byte.
std::size_t bytes_of(DType dtype);
std::size_t bytes_of(DType dtype, std::int64_t elements);  ///< dense, rounded up to a byte
DType dtype_of(const std::string& name);  ///< inverse of name_of; the name is known to be legal
bool is_integer(DType dtype);

/// Distance from 1 to the next value of the type: 2^-7 for bf16, 1 for integers and ue8m0. The largest
/// relative rounding error is half of it.
double spacing_at_one(DType dtype);
/// The largest finite value.
double largest(DType dtype);

/// The `index`-th element of dense data.
double decode(DType dtype, const std::byte* data, std::int64_t index);
/// Rounded to nearest, ties to even. Beyond the largest value fp32, fp16 and bf16 become infinite, the others
/// stay at it, as the device's saturating conversions do. ue8m0 takes the nearest power of two.
void encode(DType dtype, std::byte* data, std::int64_t index, double value);

/// bf16 and fp16 by their bit patterns; out-of-range values become infinities, NaN stays NaN.
std::uint16_t to_bf16(float value);
float from_bf16(std::uint16_t bits);
std::uint16_t to_fp16(float value);
float from_fp16(std::uint16_t bits);

}  // namespace cutelab::kernel
