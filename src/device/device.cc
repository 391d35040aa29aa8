#include "device/device.h"

#include <fmt/format.h>

#include <algorithm>

namespace cutelab::device {

std::string DeviceInfo::sm() const { return known_arch() ? fmt::format("sm_{}{}", major, minor) : ""; }

std::string DeviceInfo::arch() const { return sm() + (major >= 9 ? "a" : ""); }

DeviceInfo as_far_as_possible(DeviceInfo info) {
  constexpr std::int64_t exbibyte = std::int64_t{1} << 60;
  for (std::int64_t* bytes : {&info.memory_bytes, &info.l2_bytes, &info.smem_per_block_bytes})
    if (*bytes < 0 || *bytes > exbibyte) *bytes = 0;
  for (int* number : {&info.sms, &info.registers_per_sm, &info.max_sm_clock_mhz, &info.max_memory_clock_mhz})
    *number = std::max(*number, 0);
  if (info.major < 1 || info.major > 99 || info.minor < 0 || info.minor > 9) info.major = info.minor = 0;
  return info;
}

}  // namespace cutelab::device
