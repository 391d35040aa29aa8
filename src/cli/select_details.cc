#include "cli/select_details.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "device/asked_apart.h"

namespace cutelab::cli {
using namespace corpus;

std::optional<Device> machine_gpu(device::Device& machine, const ArchFacts& archs) {
  constexpr double limit_seconds = 20;  // of a driver that hangs; a selection needs no GPU
  const auto told = device::ask_apart(machine, false, limit_seconds);
  if (!told || told->devices.empty()) return std::nullopt;
  const device::DeviceInfo& info = told->devices.front();
  auto device = archs.product_in(info.name);
  if (!device)
    if (const auto by_arch = archs.device(info.arch())) device = *by_arch;
  if (device) device->name = info.name.starts_with("NVIDIA ") ? info.name.substr(7) : info.name;
  return device;
}

std::vector<ApiUse> api_uses(const Example& e, const Workspace& w, const FileSource& files) {
  if (e.facts->language != Language::cute_dsl) return {};
  const auto text = read_source(files, w.catalog->full_path(e));
  return text ? w.api.uses_in(*text) : std::vector<ApiUse>{};
}

void add_wheel_reasons(Hit& hit, const std::optional<Release>& wheel) {
  if (wheel) {
    for (const ApiUse& use : hit.api)
      if (breaks(use, *wheel)) hit.reasons.push_back(text_of(use, wheel));
    return;
  }
  const WheelRange range = wheel_range(hit.api);
  if (range.least) hit.reasons.push_back(fmt::format("needs wheel >= {}", range.least->text()));
  if (range.before) hit.reasons.push_back(fmt::format("uses names removed in {}", range.before->text()));
}

std::vector<std::pair<std::string, std::string>> detail_rows(const ExampleDetails& details) {
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<std::string> wheel;
  for (const ApiUse& use : details.api)
    if (std::string text = text_of(use, details.wheel); !text.empty()) wheel.push_back(std::move(text));
  if (wheel.empty() && details.wheel)
    wheel.push_back(fmt::format("nothing in it is known to break with {}", details.wheel->text()));
  for (std::size_t i = 0; i < wheel.size(); ++i) rows.emplace_back(i ? "" : "wheel", wheel[i]);
  if (!details.modules || details.modules->empty()) return rows;
  const auto inside_a_missing_one = [&](const std::string& module) {
    return std::any_of(details.modules->begin(), details.modules->end(), [&](const ThirdParty& other) {
      return !other.found && module.starts_with(other.module + ".");
    });
  };
  std::vector<std::string> found, missing;
  for (const ThirdParty& m : *details.modules)
    if (!inside_a_missing_one(m.module))
      m.found ? found.push_back(m.module) : missing.push_back(fmt::format("{} (line {})", m.module, m.line));
  std::string text;
  if (!missing.empty()) text = "python3 lacks " + join(missing, ", ");
  if (!found.empty()) text += (text.empty() ? "python3 has " : "; has ") + join(found, ", ");
  rows.emplace_back("modules", text);
  return rows;
}

}  // namespace cutelab::cli
