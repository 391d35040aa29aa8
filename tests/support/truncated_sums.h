#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel/tensor.h"

namespace cutelab::kernel::testing {

/// Toward zero, to the 24 bits of fp32's mantissa.
inline double truncated(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(mantissa, 24)), exponent - 24);
}

/// out (m, n) = a (m, k) · b (n, k)ᵀ as the tensor cores add: 16 products at a time, bits below fp32 dropped.
/// Gives what was dropped from the sum that lost most, absolute.
inline double multiply_dropping_bits(const Tensor& a, const Tensor& b, std::int64_t k, Tensor& out) {
  const std::int64_t n = b.size() / k;
  double dropped = 0;
  for (std::int64_t i = 0; i < a.size() / k * n; ++i) {
    double sum = 0, exact = 0;
    for (std::int64_t at = 0; at < k; at += 16) {
      double part = 0;
      for (std::int64_t j = at; j < at + 16; ++j) part += a.at(i / n * k + j) * b.at(i % n * k + j);
      sum = truncated(sum + part);
      exact += part;
    }
    dropped = std::max(dropped, std::abs(sum - exact));
    out.set(i, sum);
  }
  return dropped;
}

}  // namespace cutelab::kernel::testing
