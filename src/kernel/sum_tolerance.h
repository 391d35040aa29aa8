#pragma once
#include <cstdint>

#include "kernel/dtype.h"
#include "kernel/error_report.h"

namespace cutelab::kernel {

/// What one element of a product of matrices is made of.
struct ProductSum {
  std::int64_t products = 1;    ///< k
  double root_mean_square = 1;  ///< of one product, with the fill whose products are largest
  double scale = 1;             ///< the sum is multiplied by it before it is rounded
  DType result = DType::fp32;
  int at_once = 16;    ///< products that the tensor cores add to the sum at a time
  int kept_bits = 23;  ///< of the sum, behind its leading one
};

/// What an fp32 sum of the tensor cores may lose, absolute. They add `at_once` products at a time and drop
/// what lies below 2^-kept_bits of the sum. Sums of independent products grow as a random walk: the end is
/// within six deviations (sqrt(products) · root_mean_square each) in a billion of them, the way there two
/// thirds of its end on average, and a truncation drops about 0.36 of what it may. 6 · 2/3 · 0.36 is 1.4; two
/// deviations are allowed at every addition.
double lost_in_sum(const ProductSum& sum);

/// What all such sums together lose of their norm, relative. Truncation errs towards zero, so what the
/// additions drop adds up: each drops half of 2^-kept_bits of a sum that on its way is two thirds of its end.
double lost_in_norm(const ProductSum& sum);

/// |error| <= half a spacing of the result's type · |ref| + lost_in_sum, with the reason in words.
Tolerance product_tolerance(const ProductSum& sum);

}  // namespace cutelab::kernel
