#include "kernel/error_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cutelab::kernel {
namespace {

void note_bad(ErrorReport& report, std::int64_t index, std::int64_t& counter) {
  ++counter;
  if (report.first_bad_index < 0) report.first_bad_index = index;
}

/// Sums of one row after another.
class RowSums {
 public:
  RowSums(ErrorReport& report, std::int64_t row_length)
      : report_(report), length_(std::max<std::int64_t>(1, row_length)) {}
  void add(std::int64_t index, double error, double want) {
    if (index / length_ != row_) close(index / length_);
    difference2_ += error * error;
    reference2_ += want * want;
  }
  void close(std::int64_t next) {
    const double norm = difference2_ == 0 ? 0
                        : reference2_ > 0 ? std::sqrt(difference2_ / reference2_)
                                          : std::numeric_limits<double>::infinity();
    if (norm > report_.worst_row_norm) {
      report_.worst_row_norm = norm;
      report_.worst_row_index = row_ * length_;
    }
    row_ = next;
    difference2_ = reference2_ = 0;
  }

 private:
  ErrorReport& report_;
  std::int64_t length_, row_ = 0;
  double difference2_ = 0, reference2_ = 0;
};

void finish(ErrorReport& report, const Tensor& out, const Tensor& reference, const Tolerance& tolerance) {
  const bool finite = report.nan_count == 0 && report.infinite_count == 0;
  report.passed =
      finite && report.relative_norm <= tolerance.relative_norm && report.worst_error <= tolerance.element;
  const std::int64_t shown = finite ? report.worst_index : report.first_bad_index;
  if (shown >= 0)
    report.worst = fmt::format("{}{}: {:.6g} against {:.6g}", out.name, out.coordinates(shown), out.at(shown),
                               reference.at(shown));
  report.text =
      fmt::format("{}: relative error {:.3g} (allowed {:.3g}), worst element {:.3g} (allowed {:.3g}){}{}",
                  report.passed ? "passed" : "FAILED", report.relative_norm, tolerance.relative_norm,
                  report.worst_error, tolerance.element, report.worst.empty() ? "" : " at ", report.worst);
  if (finite && report.worst_row_index >= 0)
    report.text += fmt::format("; worst row {:.3g}, from {}{}", report.worst_row_norm, out.name,
                               out.coordinates(report.worst_row_index));
  if (!finite)
    report.text +=
        fmt::format("; {} NaN, {} infinite of {}", report.nan_count, report.infinite_count, out.size());
}

}  // namespace

ErrorReport compare(const Tensor& out, const Tensor& reference, const Tolerance& tolerance) {
  ErrorReport report;
  RowSums rows(report, out.shape.empty() ? 1 : out.shape.back());
  double difference2 = 0;
  double reference2 = 0;
  for (std::int64_t i = 0, n = out.size(); i < n; ++i) {
    const double got = out.at(i);
    const double want = reference.at(i);
    if (std::isnan(want) && std::isnan(got)) continue;
    if (std::isnan(got) || std::isnan(want)) {
      note_bad(report, i, report.nan_count);
      continue;
    }
    if (got == want) {  // equal infinities too
      if (std::isfinite(want)) {
        reference2 += want * want;
        rows.add(i, 0, want);
      }
      continue;
    }
    if (!std::isfinite(got) || !std::isfinite(want)) {
      note_bad(report, i, report.infinite_count);
      continue;
    }
    const double error = std::abs(got - want);
    difference2 += error * error;
    reference2 += want * want;
    rows.add(i, error, want);
    const double scaled = error / std::max(std::abs(want), tolerance.floor);
    if (scaled > report.worst_error) {
      report.worst_error = scaled;
      report.worst_index = i;
    }
  }
  rows.close(0);
  if (report.nan_count + report.infinite_count > 0)
    report.relative_norm = std::numeric_limits<double>::infinity();
  else if (difference2 > 0)
    report.relative_norm =
        reference2 > 0 ? std::sqrt(difference2 / reference2) : std::numeric_limits<double>::infinity();
  finish(report, out, reference, tolerance);
  return report;
}

}  // namespace cutelab::kernel
