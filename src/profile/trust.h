#pragma once
#include <optional>

#include "evidence/run.h"
#include "profile/event_timing.h"
#include "profile/roofline.h"

namespace cutelab::profile {

/// Everything that a verdict on a timing looks at.
struct TrustCase {
  const Timing& timing;
  const TimingSpec& spec;
  std::optional<Floor> floor;  ///< at datasheet peaks; nullopt = no rates known
  const evidence::Run::Check& check;
};

/// One verdict with every reason for it.
///   rejected: the time is below the floor although L2 was cold; the outputs changed during the timing; the
///             check failed.
///   doubtful: the clock moved or was held down (with the reasons NVML gives), the median is known to worse
///   than
///             1 %, half of the launches spread over more than 10 % of it, the method's own time may be more
///             than a tenth of it, nothing was checked, or clock and power could not be read.
///   trusted:  none of these.
evidence::Run::Trust judge(const TrustCase& seen);

}  // namespace cutelab::profile
