#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/device.h"

namespace cutelab::device {

/// What machine code is compiled for: "sm_90a" = compute capability 9.0, suffix a.
struct CodeArch {
  int major = 0;
  int minor = 0;
  char suffix = 0;  ///< 'a' = that very chip, 'f' = its family, 0 = also later chips of the same major number
  static std::optional<CodeArch> parse(std::string_view text);
};

/// Whether a cubin for `code` runs on a chip of that compute capability (CUDA C++ Programming Guide, Compute
/// Capabilities): no suffix: the same major number and no older minor one; `f`: the same major number and no
/// older minor one, family features included; `a`: nothing but the same chip.
bool code_runs_on(const CodeArch& code, int major, int minor);

/// Says, before anything is run, whether code for one of `compiled_for` runs on the device, and if not, why:
/// the rule that decides, and what the device's own target would be. Errors (kind unavailable).
Status runs_on(const std::vector<std::string>& compiled_for, const DeviceInfo& device);

}  // namespace cutelab::device
