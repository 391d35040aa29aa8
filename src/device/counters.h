#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace cutelab::device {

/// Work whose hardware counters are wanted. Counters are read in several passes, and every pass runs the work
/// anew.
struct CountedWork {
  /// Puts memory and caches where a first run finds them; the device is idle afterwards. Not counted.
  std::function<Status()> before;
  std::function<Status()> launch;  ///< enqueues the kernels that are counted
  int most_kernels = 16;           ///< more than that in one `launch` are refused
};

/// What the counters said, kernel by kernel in the order of the launches.
struct CounterReading {
  std::string chip;  ///< CUPTI's name of it: "GH100"
  int passes = 0;
  std::vector<std::string> unknown;  ///< metrics that were asked for and that the chip does not have
  std::vector<std::map<std::string, double>> kernels;  ///< by CUPTI's name of the metric
};

/// What to do when the driver keeps counters for the administrator (ERR_NVGPUCTRPERM).
inline constexpr char counters_refused_remedy[] =
    "the driver keeps counters for the administrator: run as root or with CAP_SYS_ADMIN (CAP_PERFMON from "
    "driver "
    "565 on), in a container with --cap-add=SYS_ADMIN, or let the administrator load the driver with "
    "NVreg_RestrictProfilingToAdminUsers=0";

}  // namespace cutelab::device
