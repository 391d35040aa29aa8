#include "profile/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cutelab::profile {
namespace {

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Summary summarize(std::vector<double> samples) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (samples.empty()) return {0, none, none, none, none, none, none};
  std::sort(samples.begin(), samples.end());
  Summary s;
  s.count = static_cast<int>(samples.size());
  s.median = quantile(samples, 0.5);
  s.first_quartile = quantile(samples, 0.25);
  s.third_quartile = quantile(samples, 0.75);
  s.least = samples.front();
  s.most = samples.back();
  const double deviation = (s.third_quartile - s.first_quartile) / 1.349;
  s.median_error = 1.2533 * deviation / std::sqrt(static_cast<double>(s.count)) / s.median;
  return s;
}

StopRule::Reason StopRule::decide(const Summary& summary, double seconds) const {
  const bool settled = seconds >= least_seconds;
  if (settled && summary.count >= most_samples) return Reason::out_of_samples;
  if (settled && summary.count >= least_samples && summary.median_error <= median_error)
    return Reason::known_well_enough;
  if (seconds >= most_seconds) return Reason::out_of_time;
  return Reason::go_on;
}

const char* text_of(StopRule::Reason reason) {
  switch (reason) {
    case StopRule::Reason::go_on:
      return "not stopped";
    case StopRule::Reason::known_well_enough:
      return "the median is known well enough";
    case StopRule::Reason::out_of_time:
      return "the time limit was reached";
    case StopRule::Reason::out_of_samples:
      return "the sample limit was reached";
  }
  return "?";
}

}  // namespace cutelab::profile
