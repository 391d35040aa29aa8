#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "profile/compare.h"

namespace cutelab::profile {
namespace {

double middle(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/// Correlation of neighbours in time, outliers cut off; 0 if there is none or if it is negative.
double neighbours_correlation(const std::vector<double>& ratios, const std::vector<double>& sorted) {
  const double low = sorted[sorted.size() / 20];
  const double high = sorted[sorted.size() - 1 - sorted.size() / 20];
  const auto cut = [&](double v) { return std::clamp(v, low, high); };
  double mean = 0;
  for (const double ratio : ratios) mean += cut(ratio) / static_cast<double>(ratios.size());
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const double here = cut(ratios[i]) - mean;
    square += here * here;
    if (i > 0) product += here * (cut(ratios[i - 1]) - mean);
  }
  return square > 0 ? std::clamp(product / square, 0.0, 0.98) : 0;
}

/// The smallest difference between two samples that is not none: the step of the timer.
double step_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  double step = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < samples.size(); ++i)
    if (samples[i] - samples[i - 1] > 1e-9 * samples[i]) step = std::min(step, samples[i] - samples[i - 1]);
  return std::isfinite(step) ? step : 0;
}

double trimmed_mean(const std::vector<double>& sorted) {
  const std::size_t cut = sorted.size() / 10;
  double sum = 0;
  for (std::size_t i = cut; i < sorted.size() - cut; ++i) sum += sorted[i];
  return sum / static_cast<double>(sorted.size() - 2 * cut);
}

}  // namespace

Difference paired_difference(const std::vector<double>& left, const std::vector<double>& right, double z) {
  std::vector<double> ratios(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) ratios[i] = std::log(right[i] / left[i]);
  std::vector<double> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  const double shared = neighbours_correlation(ratios, sorted);
  const double ranks = z * std::sqrt(n) / 2 * std::sqrt((1 + shared) / (1 - shared));
  const auto at = [&](double rank) { return sorted[static_cast<std::size_t>(std::clamp(rank, 0.0, n - 1))]; };
  std::vector<double> lefts = left;
  std::sort(lefts.begin(), lefts.end());
  const double step = std::max(step_of(left), step_of(right)) / (2 * middle(lefts));
  return {std::expm1(at(std::floor(n / 2 - ranks) - 1) - step), std::expm1(middle(sorted)),
          std::expm1(at(std::ceil(n / 2 + ranks)) + step), std::expm1(trimmed_mean(sorted))};
}

evidence::Verdict judge_difference(const Difference& d, double margin) {
  using Kind = evidence::VerdictKind;
  const std::string interval =
      fmt::format("{:+.2f} % ({:+.2f} … {:+.2f})", d.centre * 100, d.low * 100, d.high * 100);
  const bool both_slower = d.low > margin && d.trimmed > margin;
  const bool both_faster = d.high < -margin && d.trimmed < -margin;
  if (both_slower) return {Kind::slower, interval};
  if (both_faster) return {Kind::faster, interval};
  if (std::abs(d.trimmed - d.centre) > margin)
    return {Kind::ambiguous, fmt::format("the median says {}, the mean {:+.2f} %: the times have more than "
                                         "one mode",
                                         interval, d.trimmed * 100)};
  if (d.low > -margin && d.high < margin)
    return {Kind::same, fmt::format("{}, within {:.3g} %", interval, margin * 100)};
  return {Kind::ambiguous, fmt::format("{} reaches over the margin of {:.3g} %", interval, margin * 100)};
}

}  // namespace cutelab::profile
