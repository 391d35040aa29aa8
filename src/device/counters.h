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

}  // namespace cutelab::device
