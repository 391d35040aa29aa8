#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel/tensor.h"

namespace cutelab::kernel::testing {

/// Toward zero, to `bits` behind the leading one.
inline double truncated(double value, int bits) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(mantissa, bits + 1)), exponent - bits - 1);
}

/// out (m, n) = a (m, k) · b (n, k)ᵀ as the tensor cores add: `at_once` products at a time, bits below those
/// kept (fp32's) dropped. Gives what was dropped from the sum that lost most, absolute.
inline double multiply_dropping_bits(const Tensor& a, const Tensor& b, std::int64_t k, Tensor& out,
                                     int at_once = 16, int kept_bits = 23) {
  const std::int64_t n = b.size() / k;
  double dropped = 0;
  for (std::int64_t i = 0; i < a.size() / k * n; ++i) {
    double sum = 0, exact = 0;
    for (std::int64_t at = 0; at < k; at += at_once) {
      double part = 0;
      for (std::int64_t j = at; j < at + at_once; ++j) part += a.at(i / n * k + j) * b.at(i % n * k + j);
      sum = truncated(sum + part, kept_bits);
      exact += part;
    }
    dropped = std::max(dropped, std::abs(sum - exact));
    out.set(i, sum);
  }
  return dropped;
}

}  // namespace cutelab::kernel::testing
