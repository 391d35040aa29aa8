#pragma once
#include <vector>

#include "device/counters.h"

namespace cutelab::profile {

/// One reading whose values are the medians of several of the same work: a counted launch runs alone on a
/// device that was idle, and single times scatter by some percent. Precondition: not empty.
device::CounterReading median_of(const std::vector<device::CounterReading>& readings);

}  // namespace cutelab::profile
