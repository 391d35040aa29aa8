#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "device/device.h"
#include "kernel/tensor.h"
#include "profile/l2_state.h"
#include "profile/statistics.h"

namespace cutelab::profile {

/// Whether a batch of timed launches is replayed as one CUDA graph: then no launch waits for the host.
enum class GraphUse {
  automatic,  ///< with a warm L2, when the kernel is shorter than the host takes to launch it
  on,
  off
};

struct TimingSpec {
  L2State l2 = L2State::cold;
  kernel::Fill fill = kernel::Fill::uniform;  ///< of the inputs: what is multiplied decides power and clock
  GraphUse graph = GraphUse::automatic;
  int warm_up_launches = 5;
  StopRule stop;
};

/// What the outputs looked like after the timed launches, against those of a launch before them.
struct Recheck {
  bool made = false;
  bool same = false;  ///< within the kernel's tolerance; every element was written again
  std::string text;
};

/// What a timing saw. Clock, power and temperature are medians over samples taken while launches ran.
struct Timing {
  std::vector<double> samples_us;
  Summary summary;
  StopRule::Reason stopped = StopRule::Reason::go_on;
  double seconds = 0;         ///< from the first timed launch to the last
  double host_launch_us = 0;  ///< what the host takes to enqueue one launch: in none of the samples
  double two_events_us = 0;   ///< two events with nothing between: what the method itself adds at most
  bool graph = false;         ///< batches were replayed as a CUDA graph
  std::string graph_refused_because;  ///< asked for, but the launch cannot be captured
  device::Sample state;
  int state_samples = 0;
  double least_sm_clock_mhz = 0;  ///< 0 = not told
  int max_sm_clock_mhz = 0;       ///< of the device; 0 = not told
  std::set<std::string> throttle_reasons;
  Recheck recheck;
};

/// Times one launch between two events on the session's stream, again and again. Launches are enqueued in
/// batches, each with its own two events, and the device's state is read while a batch runs, so neither the
/// host's launch time nor the reading is measured. Errors: the launch's or the driver's.
Result<Timing> time_with_events(device::Session& session, const std::function<Status()>& launch,
                                const TimingSpec& spec, const Clock& clock);

}  // namespace cutelab::profile
