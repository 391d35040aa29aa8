#pragma once
#include <string>
#include <vector>

#include "base/isolated.h"
#include "device/device.h"

namespace cutelab::device {

/// What a machine's driver tells of its GPUs.
struct MachineAnswer {
  std::vector<DeviceInfo> devices;
  std::vector<Sample> now;  ///< of the devices in their order, as far as it was told
  DriverInfo driver;
  /// Not empty: there the driver stopped answering, by a crash or a hang. What it told before is kept.
  std::string stopped_because;
};

/// Asks in a process of its own, so that a driver's library that crashes, hangs or exits there leaves this
/// one as it was. `samples`: also the state of each GPU now, for which each is opened. Errors: those of
/// list(); kind unavailable where the driver told no list within `limit_seconds`.
Result<MachineAnswer> ask_apart(Device& machine, bool samples, double limit_seconds);

/// How a process that asked the driver ended, for a person; empty = it returned.
std::string stopped_because(const IsolatedEnd& end);

}  // namespace cutelab::device
