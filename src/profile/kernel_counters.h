#pragma once
#include <string>
#include <vector>

#include "device/counters.h"
#include "device/device.h"
#include "evidence/run.h"
#include "kernel/loaded_kernel.h"
#include "kernel/plan.h"
#include "profile/event_timing.h"

namespace cutelab::profile {

/// CUPTI's names of every metric that a run reports from counters.
std::vector<std::string> counter_names();

/// Hardware counters of one launch on inputs filled as `spec` says. Before each pass the inputs are uploaded
/// again, the outputs poisoned and L2 set as `spec` says, so that every pass sees what the first saw.
/// Everything is counted three times; values are medians. Errors: the driver's, the kernel's, CUPTI's.
Result<device::CounterReading> count_kernel(device::Session& session, const kernel::KernelPlan& plan,
                                            const kernel::Params& params, const kernel::Config& config,
                                            const kernel::Launchable& launchable, const TimingSpec& spec);

/// Launches the kernel four times, inputs and L2 as `spec` says, and measures nothing:
/// for profilers and checkers that watch from outside.
Status launch_kernel(device::Session& session, const kernel::KernelPlan& plan, const kernel::Params& params,
                     const kernel::Config& config, const kernel::Launchable& launchable,
                     const TimingSpec& spec);

/// Writes the counters' rows. If one launch ran several kernels, those of the longest are shown and a note
/// tells of the others.
void record_counters(evidence::Run& run, const device::CounterReading& reading);

/// The same rows with the reason why there are no counters.
void record_no_counters(evidence::Run& run, const std::string& because);

}  // namespace cutelab::profile
