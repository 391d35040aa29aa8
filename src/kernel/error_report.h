#pragma once
#include <cstdint>
#include <string>

#include "kernel/tensor.h"

namespace cutelab::kernel {

/// A bound on ||out - ref|| / ||ref|| and on each element's error, with the reason why a right kernel stays
/// below it.
struct Tolerance {
  double relative_norm = 0;
  double element = 0;  ///< |out - ref| <= element * max(|ref|, floor)
  double floor = 0;    ///< below this magnitude an element's error counts as absolute
  std::string reason;
};

/// How an output differs from its reference.
struct ErrorReport {
  double relative_norm =
      0;  ///< ||out - ref|| / ||ref||; infinity when the output holds a NaN that the reference has not
  double worst_error = 0;  ///< largest |out - ref| / max(|ref|, floor)
  std::int64_t worst_index = -1;
  /// ||out - ref|| / ||ref|| of the row (the last mode) where it is largest: a wrong part of small numbers is
  /// lost in the norm of all.
  double worst_row_norm = 0;
  std::int64_t worst_row_index = -1;  ///< first element of that row
  std::int64_t nan_count = 0;         ///< NaN in out and not in ref: unwritten (the canary) or wrong
  std::int64_t infinite_count = 0;    ///< infinite in out and not in ref
  std::int64_t first_bad_index = -1;
  bool passed = false;
  std::string worst;  ///< "y[17][4095]: 1.25 against 1.24"
  std::string text;   ///< one line: figures, tolerance, verdict
};

/// Precondition: same shape; the reference has at least the output's precision.
ErrorReport compare(const Tensor& out, const Tensor& reference, const Tolerance& tolerance);

}  // namespace cutelab::kernel
