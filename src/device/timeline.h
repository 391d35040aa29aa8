#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cutelab::device {

/// One thing that took time: a kernel, a copy, a fill, a call of the driver or runtime. Times are nanoseconds
/// of one clock.
struct Span {
  enum class Lane { gpu, host };
  Lane lane = Lane::gpu;
  std::uint32_t track = 0;  ///< stream on the GPU, thread on the host
  std::string name;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t correlation = 0;                             ///< of a call and of what it launched; 0 = none
  std::vector<std::pair<std::string, std::string>> details;  ///< "grid" -> "8192×1×1", …
};

}  // namespace cutelab::device
