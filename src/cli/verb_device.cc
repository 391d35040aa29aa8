#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/verbs.h"
#include "device/device.h"
#include "render/table.h"

namespace cutelab::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const device::DeviceInfo& d) {
  return {{"index", d.index},
          {"name", d.name},
          {"arch", d.arch()},
          {"sms", d.sms},
          {"memory_bytes", d.memory_bytes},
          {"l2_bytes", d.l2_bytes},
          {"smem_per_block_bytes", d.smem_per_block_bytes},
          {"registers_per_sm", d.registers_per_sm},
          {"max_sm_clock_mhz", d.max_sm_clock_mhz},
          {"max_memory_clock_mhz", d.max_memory_clock_mhz}};
}

std::string driver_line(const device::DriverInfo& driver) {
  return fmt::format("driver {}, CUDA {}.{}{}\n",
                     driver.version.empty() ? "of unknown version" : driver.version,
                     driver.cuda_version / 1000, driver.cuda_version % 1000 / 10,
                     driver.nvml_missing_because.empty() ? "" : "; no NVML: " + driver.nvml_missing_because);
}

class DeviceVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec;
    spec.name = "device";
    spec.summary = "GPUs of this machine: what they are, clocks, power";
    spec.flags = {{"--json", "", "as JSON", "", false, {}}};
    spec.examples = {"cutelab device"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    const auto machine = device::machine_device();
    auto devices = machine->list();
    if (!devices) return devices.error();
    if (arguments.has("--json")) {
      Json all = Json::array();
      for (const auto& d : *devices) all.push_back(json_of(d));
      context.out << Json{{"schema_version", 1}, {"driver", machine->driver().version}, {"devices", all}}
                         .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                  << "\n";
      return ExitCode::ok;
    }
    render::Table table{{{"GPU", render::Align::right},
                         {"Name"},
                         {"Arch"},
                         {"SMs", render::Align::right},
                         {"Memory", render::Align::right},
                         {"L2", render::Align::right},
                         {"SMEM/block (B)", render::Align::right},
                         {"SM clock now/most (MHz)", render::Align::right},
                         {"Power (W)", render::Align::right},
                         {"Throttled by"}},
                        {}};
    for (const auto& d : *devices) table.rows.push_back(row_of(d, *machine));
    context.out << render::markdown(table) << driver_line(machine->driver());
    return ExitCode::ok;
  }

 private:
  static std::vector<std::string> row_of(const device::DeviceInfo& d, device::Device& machine) {
    device::Sample now;
    if (auto session = machine.open(d.index)) now = (*session)->sample();
    const auto number = [](const std::optional<double>& v) {
      return v ? fmt::format("{:.0f}", *v) : std::string("?");
    };
    return {
        fmt::format("{}", d.index),
        d.name,
        d.arch(),
        fmt::format("{}", d.sms),
        human_bytes(d.memory_bytes),
        human_bytes(d.l2_bytes),
        with_thousands(d.smem_per_block_bytes),
        number(now.sm_clock_mhz) + " / " + (d.max_sm_clock_mhz ? fmt::format("{}", d.max_sm_clock_mhz) : "?"),
        number(now.power_w),
        join(now.throttle_reasons, ", ")};
  }
};

}  // namespace

std::unique_ptr<Verb> make_device_verb() { return std::make_unique<DeviceVerb>(); }

}  // namespace cutelab::cli
