#include "device/device.h"

#include <fmt/format.h>

namespace cutelab::device {

std::string DeviceInfo::sm() const { return fmt::format("sm_{}{}", major, minor); }

std::string DeviceInfo::arch() const { return sm() + (major >= 9 ? "a" : ""); }

}  // namespace cutelab::device
