#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/verbs.h"
#include "device/device.h"
#include "profile/ceilings.h"
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

Json json_of(const profile::Ceiling& c) {
  Json j = {{"tag", c.tag}, {"unit", c.unit}, {"how", c.how}};
  if (c.per_second > 0) {
    j["per_second"] = c.per_second;
    j["spread"] = c.spread;
  } else {
    j["missing_because"] = c.missing_because;
  }
  if (c.state.sm_clock_mhz) j["sm_clock_mhz"] = *c.state.sm_clock_mhz;
  if (c.state.power_w) j["power_w"] = *c.state.power_w;
  return j;
}

std::string ceilings_text(const std::vector<profile::Ceiling>& all) {
  render::Table table{{{"Ceiling"},
                       {"Reached", render::Align::right},
                       {"Spread", render::Align::right},
                       {"SM clock (MHz)", render::Align::right},
                       {"Power (W)", render::Align::right},
                       {"How"}},
                      {}};
  const auto number = [](const std::optional<double>& v) {
    return v ? fmt::format("{:.0f}", *v) : std::string("?");
  };
  for (const auto& c : all) {
    if (c.per_second > 0)
      table.rows.push_back({c.tag, fmt::format("{:.3f} T{}", c.per_second * 1e-12, c.unit),
                            fmt::format("{:.2f} %", c.spread * 100), number(c.state.sm_clock_mhz),
                            number(c.state.power_w), c.how});
    else
      table.rows.push_back({c.tag, "-", "", "", "", c.missing_because});
  }
  return render::markdown(table);
}

class DeviceVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec;
    spec.name = "device";
    spec.summary = "GPUs of this machine: what they are, clocks, power";
    spec.flags = {
        {"--json", "", "as JSON", "", false, {}},
        {"--measure", "", "measure what memory and arithmetic of a GPU reach (seconds)", "", false, {}},
        {"--gpu", "N", "which GPU to measure", "0", false, {}}};
    spec.examples = {"cutelab device", "cutelab device --measure --json"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    const auto machine = device::machine_device();
    auto devices = machine->list();
    if (!devices) return devices.error();
    if (arguments.has("--measure")) return measure(arguments, *machine, context);
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
  static Result<ExitCode> measure(const Arguments& arguments, device::Device& machine, Context& context) {
    const auto gpu = parse_integer(arguments.get("--gpu", "0"));
    if (!gpu || *gpu < 0)
      return Error{ErrorKind::usage, "device --measure", "--gpu wants a number from 0", "",
                   "`cutelab device` lists the GPUs"};
    auto session = machine.open(static_cast<int>(*gpu));
    if (!session) return session.error();
    auto ceilings = profile::measure_ceilings(**session);
    if (!ceilings) return ceilings.error();
    const auto& info = (*session)->info();
    if (arguments.has("--json")) {
      Json all = Json::array();
      for (const auto& c : *ceilings) all.push_back(json_of(c));
      context.out << Json{{"schema_version", 1},
                          {"device", info.name},
                          {"driver", machine.driver().version},
                          {"time_utc", context.clock.utc_now()},
                          {"ceilings", all}}
                         .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                  << "\n";
      return ExitCode::ok;
    }
    context.out << info.name << "\n\n" << ceilings_text(*ceilings) << driver_line(machine.driver());
    return ExitCode::ok;
  }

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
