#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"

namespace cutelab::profile {

/// A rate that a device was seen to reach, or why it was not measured.
struct Ceiling {
  std::string tag;        ///< "dram_copy", "dram_read", "dram_write", "fp32", "bf16-tensor"
  std::string unit;       ///< "B/s" or "FLOP/s"
  double per_second = 0;  ///< the median; 0 = not measured
  double spread = 0;      ///< third minus first quartile, of the median
  std::string how;        ///< what was run
  std::string missing_because;
  device::Sample state;  ///< clock and power right after
};

/// Measures what memory and arithmetic of an opened device reach: a copy of a gigabyte (bytes read plus bytes
/// written), reading it, writing it; fused multiply-adds in registers; bf16 warpgroup products from shared
/// memory on values that are not zero. Each repeated, medians. Errors: memory for the copy; other refusals
/// are reasons in the ceilings.
Result<std::vector<Ceiling>> measure_ceilings(device::Session& session);

}  // namespace cutelab::profile
