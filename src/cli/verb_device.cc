#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "base/isolated.h"
#include "base/text.h"
#include "cli/kernel_build.h"
#include "cli/numbers.h"
#include "cli/verbs.h"
#include "device/asked_apart.h"
#include "device/device.h"
#include "profile/ceilings.h"
#include "render/columns.h"

namespace cutelab::cli {
namespace {

using Json = nlohmann::ordered_json;

/// null where the driver does not tell.
template <class Number>
Json told(Number number) {
  return number > 0 ? Json(number) : Json();
}

Json json_of(const device::DeviceInfo& d) {
  return {{"index", d.index},
          {"name", d.name},
          {"arch", d.known_arch() ? Json(d.arch()) : Json()},
          {"sms", told(d.sms)},
          {"memory_bytes", told(d.memory_bytes)},
          {"l2_bytes", told(d.l2_bytes)},
          {"smem_per_block_bytes", told(d.smem_per_block_bytes)},
          {"registers_per_sm", told(d.registers_per_sm)},
          {"max_sm_clock_mhz", told(d.max_sm_clock_mhz)},
          {"max_memory_clock_mhz", told(d.max_memory_clock_mhz)}};
}

std::string driver_line(const device::DriverInfo& driver) {
  const std::string cuda = driver.cuda_version > 0 ? fmt::format("CUDA {}.{}", driver.cuda_version / 1000,
                                                                 driver.cuda_version % 1000 / 10)
                                                   : "CUDA of unknown version";
  return fmt::format("driver {}, {}{}\n", driver.version.empty() ? "of unknown version" : driver.version,
                     cuda,
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

std::string ceilings_text(const std::vector<profile::Ceiling>& all, int width) {
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
  return render::fitted(table, width);
}

std::vector<std::string> row_of(const device::DeviceInfo& d, const device::Sample& now) {
  const auto number = [](const std::optional<double>& v) {
    return v ? fmt::format("{:.0f}", *v) : std::string("?");
  };
  const auto known = [](long long value, std::string text) {
    return value > 0 ? std::move(text) : std::string("?");
  };
  return {fmt::format("{}", d.index),
          d.name.empty() ? "?" : d.name,
          d.known_arch() ? d.arch() : "?",
          known(d.sms, fmt::format("{}", d.sms)),
          known(d.memory_bytes, human_bytes(d.memory_bytes)),
          known(d.l2_bytes, human_bytes(d.l2_bytes)),
          known(d.smem_per_block_bytes, with_thousands(d.smem_per_block_bytes)),
          number(now.sm_clock_mhz) + " / " + known(d.max_sm_clock_mhz, fmt::format("{}", d.max_sm_clock_mhz)),
          number(now.power_w),
          join(now.throttle_reasons, ", ")};
}

std::string devices_text(const device::MachineAnswer& told, int width) {
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
  for (std::size_t i = 0; i < told.devices.size(); ++i)
    table.rows.push_back(row_of(told.devices[i], i < told.now.size() ? told.now[i] : device::Sample{}));
  return render::fitted(table, width) + driver_line(told.driver);
}

std::string devices_json(const device::MachineAnswer& told) {
  Json all = Json::array();
  for (const auto& d : told.devices) all.push_back(json_of(d));
  Json j = {{"schema_version", 1}, {"driver", told.driver.version}, {"devices", all}};
  if (!told.stopped_because.empty()) j["not_done"] = Json::array({told.stopped_because});
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// In its own process: what the measurement of one GPU says, as it is printed.
Result<std::string> measured(int gpu, bool as_json, const Context& context) {
  const auto machine = device::machine_device();
  auto session = machine->open(gpu);
  if (!session) return session.error();
  auto ceilings = profile::measure_ceilings(**session);
  if (!ceilings) return ceilings.error();
  const auto& info = (*session)->info();
  if (!as_json)
    return info.name + "\n\n" + ceilings_text(*ceilings, context.table_width()) +
           driver_line(machine->driver());
  Json all = Json::array();
  for (const auto& c : *ceilings) all.push_back(json_of(c));
  return Json{{"schema_version", 1},
              {"device", info.name},
              {"driver", machine->driver().version},
              {"time_utc", context.clock.utc_now()},
              {"ceilings", all}}
             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
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
        {"--gpu", "N", "which GPU to measure", "0", false, {}},
        {"--time-limit",
         "SECONDS",
         "a driver that does not answer for so long is given up",
         "60, with --measure 600",
         false,
         {}}};
    spec.examples = {"cutelab device", "cutelab device --measure --json"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    const bool measure = arguments.has("--measure");
    auto gpu = gpu_number(arguments.get("--gpu", "0"), "device", "--gpu");
    if (!gpu) return gpu.error();
    if (!measure && arguments.has("--gpu"))
      return Error{ErrorKind::usage, "device", "--gpu says which GPU --measure measures", "",
                   "leave it out: all are listed"};
    auto limit = bounded_number(arguments, "device", "--time-limit", measure ? 600 : 60, 1, most_seconds);
    if (!limit) return limit.error();
    const auto seconds = static_cast<double>(*limit);
    if (measure) return measure_apart(*gpu, arguments.has("--json"), seconds, context);
    const auto machine = device::machine_device();
    const auto told = device::ask_apart(*machine, true, seconds);
    if (!told) return told.error();
    context.out << (arguments.has("--json") ? devices_json(*told)
                                            : devices_text(*told, context.table_width()));
    if (told->stopped_because.empty()) return ExitCode::ok;
    context.err << "not done: " << told->stopped_because << "\n";
    return ExitCode::unavailable;
  }

 private:
  static Result<ExitCode> measure_apart(int gpu, bool as_json, double limit_seconds, Context& context) {
    context.out.flush();
    std::string text;
    std::string refused;
    auto end = run_isolated(
        [&](const Isolated& parent) {
          parent.phase("the measurement", true);
          const auto result = measured(gpu, as_json, context);
          parent.tell(result ? "+" + *result : "-" + one_line(result.error()));
        },
        limit_seconds, [&](const std::string& told) { (told[0] == '+' ? text : refused) = told.substr(1); });
    if (!end) return end.error();
    if (text.empty())
      return Error{ErrorKind::unavailable, fmt::format("measure GPU {}", gpu),
                   refused.empty() ? device::stopped_because(*end) : refused, "",
                   "`cutelab device` shows what the driver sees"};
    context.out << text;
    return ExitCode::ok;
  }
};

}  // namespace

std::unique_ptr<Verb> make_device_verb() { return std::make_unique<DeviceVerb>(); }

}  // namespace cutelab::cli
