#include "device/code_arch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace cutelab::device {

std::optional<CodeArch> CodeArch::parse(std::string_view text) {
  if (text.rfind("sm_", 0) != 0) return std::nullopt;
  text.remove_prefix(3);
  CodeArch arch;
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
    arch.suffix = text.back();
    text.remove_suffix(1);
  }
  const auto number = parse_integer(text);
  if (!number || *number < 10) return std::nullopt;
  arch.major = static_cast<int>(*number / 10);
  arch.minor = static_cast<int>(*number % 10);
  return arch;
}

bool code_runs_on(const CodeArch& code, int major, int minor) {
  if (code.major != major) return false;
  return code.suffix == 'a' ? code.minor == minor : code.minor <= minor;
}

namespace {

/// The rule that keeps this code from the device.
std::string rule_of(const CodeArch& code) {
  if (code.suffix == 'a')
    return fmt::format("code with the suffix a runs on chips of compute capability {}.{} alone", code.major,
                       code.minor);
  return fmt::format("such code runs on {}.{} and later chips of compute capability {}.x", code.major,
                     code.minor, code.major);
}

/// What the chips differ in, as far as kernels are written for it.
std::string difference(const DeviceInfo& device) {
  if (device.major == 12) return "has no wgmma and no tcgen05 with tensor memory";
  if (device.major == 10 || device.major == 11) return "has tcgen05 with tensor memory in the place of wgmma";
  if (device.major == 9) return "has wgmma, no tcgen05";
  if (device.major == 8) return "has mma.sync only, no wgmma, no tensor copy engine";
  return "";
}

}  // namespace

Status runs_on(const std::vector<std::string>& compiled_for, const DeviceInfo& device) {
  for (const std::string& text : compiled_for)
    if (const auto code = CodeArch::parse(text); code && code_runs_on(*code, device.major, device.minor))
      return {};
  const auto first = compiled_for.empty() ? std::nullopt : CodeArch::parse(compiled_for.front());
  const std::string lacks = difference(device);
  return Error{ErrorKind::unavailable, "run on " + device.name,
               fmt::format("{} is {}, the package is compiled for {}: {}{}", device.name, device.arch(),
                           compiled_for.empty() ? "nothing" : join(compiled_for, ", "),
                           first ? rule_of(*first) : "not an architecture",
                           lacks.empty() ? "" : fmt::format("; {} {}", device.name, lacks)),
               "", "`cutelab list` shows what runs where"};
}

}  // namespace cutelab::device
