#pragma once
#include <string>
#include <vector>

namespace cutelab::profile {

/// Order statistics of time samples in microseconds. With no samples count is 0 and every figure is NaN.
struct Summary {
  int count = 0;
  double median = 0;
  double first_quartile = 0;
  double third_quartile = 0;
  double least = 0;
  double most = 0;
  /// Relative standard error of the median, from the quartiles: 1.2533 * (q3 - q1) / 1.349 / sqrt(n) /
  /// median, as for a normal distribution; outliers do not move it.
  double median_error = 0;
};

/// Quantiles by linear interpolation between order statistics (the common "type 7").
Summary summarize(std::vector<double> samples);

/// When to stop measuring: the median is known well enough, or time or samples run out.
struct StopRule {
  int least_samples = 30;
  int most_samples = 3000;
  double median_error = 0.001;
  double most_seconds = 3;
  /// Shorter than this no clock settles and no power is read: a few milliseconds of launches run at a clock
  /// that the chip cannot hold.
  double least_seconds = 0.5;

  enum class Reason { go_on, known_well_enough, out_of_time, out_of_samples };
  Reason decide(const Summary& summary, double seconds) const;
};
const char* text_of(StopRule::Reason reason);

}  // namespace cutelab::profile
