#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "device/device.h"
#include "profile/statistics.h"

namespace cutelab::profile {

/// What L2 holds when a timed launch starts.
enum class L2State {
  cold,   ///< unrelated lines, clean: swept by reading a buffer four times its size
  dirty,  ///< unrelated lines, modified: swept by writing; their write-back falls into the timed region
  warm    ///< what the launch before left
};
const char* text_of(L2State state);

struct TimingSpec {
  L2State l2 = L2State::cold;
  int warm_up_launches = 5;
  StopRule stop;
};

/// What a timing saw. Clock, power and temperature are medians over samples taken between launches.
struct Timing {
  std::vector<double> samples_us;
  Summary summary;
  StopRule::Reason stopped = StopRule::Reason::go_on;
  double two_events_us = 0;  ///< two events with nothing between: what the method itself adds at most
  device::Sample state;
  double least_sm_clock_mhz = 0;  ///< 0 = not told
  std::set<std::string> throttle_reasons;
};

/// Times one launch between two events on the session's stream, again and again. While the sweep runs on the
/// device the host enqueues what follows, so the host's launch time is not measured. Errors: the launch's or
/// the driver's.
Result<Timing> time_with_events(device::Session& session, const std::function<Status()>& launch,
                                const TimingSpec& spec, const Clock& clock);

}  // namespace cutelab::profile
