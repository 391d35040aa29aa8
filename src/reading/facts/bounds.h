#pragma once
#include "reading/facts/context.h"

namespace cutelab::reading {

/// A comparison in device code that holds a coordinate of a thread against an extent of the data, by where
/// both come from and not by their names: `idx < max_idx`, with idx made of thread_idx() or of a coordinate
/// tensor and max_idx of a tensor's shape or an integer that the kernel is given. Of `a and b` one of them is
/// enough.
bool bounds_coordinate(FactContext& context, source::Node condition);

/// Whether a write of minus infinity masks: what it writes to held values before, or holds them on the other
/// side of the test around it. What is written first is only set up.
bool masks_values(FactContext& context, source::Node write, source::Node target);

}  // namespace cutelab::reading
