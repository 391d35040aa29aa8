#pragma once
#include <string>
#include <vector>

#include "device/timeline.h"

namespace cutelab::profile {

/// The spans as a trace that ui.perfetto.dev and chrome://tracing open (Trace Event Format, JSON): a process
/// for the GPU with a track per stream, one for the host with a track per thread, an arrow from each call to
/// what it launched. Times start at the first span.
std::string perfetto_json(const std::vector<device::Span>& spans, const std::string& title);

/// One line: what ran on the GPU how often, its median, and how much of the traced time the GPU was idle
/// between.
std::string timeline_summary(const std::vector<device::Span>& spans);

}  // namespace cutelab::profile
