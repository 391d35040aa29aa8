#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "device/counters.h"
#include "profile/l2_state.h"

namespace cutelab::profile {

/// What Nsight Compute's command line shall profile.
struct NcuRequest {
  std::string ncu;              ///< path of the program
  std::string report;           ///< the .ncu-rep that is kept; ncu appends the ending itself if it is missing
  std::string device_function;  ///< part of the kernel's name; what else is launched is not profiled
  int skip = 1;                 ///< launches of that kernel left out: the first loads code
  int count = 3;                ///< launches profiled after that
  L2State l2 = L2State::cold;   ///< cold: ncu invalidates the caches before each pass; warm: it leaves them
  std::vector<std::string> metrics;
  std::vector<std::string> command;  ///< the program that launches the kernel, argv
};

/// The command that profiles: all processes, the kernel by regular expression, skip and count, the caches as
/// asked, clocks left alone (ncu would pin them), every section of ncu for its own window besides our
/// metrics.
std::vector<std::string> ncu_profile_command(const NcuRequest& request);

/// The command that prints a report as comma-separated values in base units.
std::vector<std::string> ncu_import_command(const NcuRequest& request);

/// The launches of an imported report as one reading: medians over the launches, metrics by ncu's names,
/// which are CUPTI's, and ncu's own launch__… ones. Errors (kind unavailable): no launch in it, with the
/// reason that ncu's output gives; not such a text.
Result<device::CounterReading> read_ncu_report(const std::string& csv);

/// What went wrong, from what ncu printed: counters refused, no kernel profiled, another profiler; with what
/// to do.
Error ncu_error(const std::string& output);

}  // namespace cutelab::profile
