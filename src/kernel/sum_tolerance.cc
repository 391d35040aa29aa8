#include "kernel/sum_tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace cutelab::kernel {
namespace {

constexpr double deviations = 2;
constexpr double least_relative = 0x1p-20;  // of results in fp32
constexpr double least_floor = 0x1p-14;     // the smallest normal number of fp16

double additions(const ProductSum& sum) { return static_cast<double>(sum.products) / sum.at_once + 1; }

/// By the bits that they keep: those of a type, or fewer of fp32's.
std::string kind_of_sums(const ProductSum& sum) {
  if (sum.kept_bits >= 23) return "fp32 sums";
  if (sum.kept_bits == 10) return "fp16 sums";
  if (sum.kept_bits == 7) return "bf16 sums";
  return fmt::format("sums that keep {} bits", sum.kept_bits);
}

}  // namespace

double lost_in_sum(const ProductSum& sum) {
  const double deviation = std::sqrt(static_cast<double>(sum.products)) * sum.root_mean_square;
  return additions(sum) * deviations * deviation * std::ldexp(1, -sum.kept_bits) * std::abs(sum.scale);
}

double lost_in_norm(const ProductSum& sum) { return additions(sum) * std::ldexp(1, -sum.kept_bits) / 3; }

Tolerance product_tolerance(const ProductSum& sum) {
  const double half = spacing_at_one(sum.result) / 2;
  const double relative = std::max(half, least_relative);
  const double lost = lost_in_sum(sum);
  // relative · |ref| + lost is within 1.25 · relative · max(|ref|, 4 · lost / relative).
  return {
      relative, relative * 1.25, std::max(4 * lost / relative, least_floor),
      fmt::format("the result is rounded once to {}: at most 2^{:.0f} relative; {} of {} products "
                  "(root mean square {:.3g}{}) drop bits below 2^-{} at {:.0f} additions: {:.2g} absolute",
                  name_of(sum.result), std::log2(half), kind_of_sums(sum), sum.products, sum.root_mean_square,
                  sum.scale == 1 ? "" : fmt::format(", times {:.3g}", sum.scale), sum.kept_bits,
                  additions(sum), lost)};
}

}  // namespace cutelab::kernel
