#include "device/nvml_api.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/text.h"

namespace cutelab::device {
namespace {

constexpr int clock_sm = 1;      // NVML_CLOCK_SM
constexpr int clock_memory = 2;  // NVML_CLOCK_MEM

// Beyond these no GPU is: NVML gives what it does not know as a negative number, too.
constexpr unsigned most_mhz = 1'000'000;
constexpr double most_watts = 1'000'000;
constexpr unsigned most_celsius = 1000;

struct Reason {
  unsigned long long bit;
  const char* text;
};
// nvmlClocksEventReasons; bit 0 (idle) and bit 1 (clocks set by the user) are states, not throttling.
constexpr std::array<Reason, 7> reasons = {{{0x4, "software power cap"},
                                            {0x8, "hardware slowdown"},
                                            {0x10, "sync boost"},
                                            {0x20, "software thermal slowdown"},
                                            {0x40, "hardware thermal slowdown"},
                                            {0x80, "hardware power brake"},
                                            {0x100, "display clock setting"}}};

/// nvmlFieldValue_t
struct FieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp = 0;
  long long latency = 0;
  int type = 0;  // 0 double, 1 unsigned int, 2 unsigned long, 3 unsigned long long
  int result = 0;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long long as_long;
  } value{};
};
static_assert(sizeof(FieldValue) == 40);

using AskFields = int (*)(void*, int, FieldValue*);

/// Milliwatts at this moment; the older call gives the mean over the last second, in which a short run is
/// lost.
std::optional<double> power_now(void* handle, AskFields ask) {
  FieldValue wanted;
  wanted.field = 186;  // NVML_FI_DEV_POWER_INSTANT
  if (!ask || ask(handle, 1, &wanted) != 0 || wanted.result != 0) return std::nullopt;
  return wanted.type == 0 ? wanted.value.as_double : static_cast<double>(wanted.value.as_unsigned);
}

}  // namespace

NvmlApi::NvmlApi() : library_("libnvidia-ml.so.1") {
  if (!library_.loaded()) {
    missing_ = library_.missing();
    return;
  }
  const auto init = library_.function<int (*)()>("nvmlInit_v2");
  const int code = init ? init() : -1;
  if (code != 0) missing_ = fmt::format("nvmlInit failed with code {}", code);
}

NvmlApi::~NvmlApi() {
  if (!missing_.empty()) return;
  if (const auto shutdown = library_.function<int (*)()>("nvmlShutdown")) shutdown();
}

std::string NvmlApi::driver_version() const {
  std::array<char, 97> text{};  // the last one stays 0, whatever the library writes
  const auto ask = library_.function<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
  if (!missing_.empty() || !ask || ask(text.data(), text.size() - 1) != 0) return "";
  return replace_all(printable(text.data()), "\n", "\uFFFD");
}

void* NvmlApi::handle_of(const std::string& pci_bus_id) const {
  void* handle = nullptr;
  const auto ask = library_.function<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (!missing_.empty() || !ask || ask(pci_bus_id.c_str(), &handle) != 0) return nullptr;
  return handle;
}

int NvmlApi::max_clock_mhz(void* handle, int clock) const {
  unsigned mhz = 0;
  const auto ask = library_.function<int (*)(void*, int, unsigned*)>("nvmlDeviceGetMaxClockInfo");
  return handle && ask && ask(handle, clock, &mhz) == 0 && mhz <= most_mhz ? static_cast<int>(mhz) : 0;
}

Sample NvmlApi::sample(void* handle) const {
  Sample sample;
  if (!handle) return sample;
  const auto clock = library_.function<int (*)(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
  const auto power = library_.function<int (*)(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
  const auto temperature = library_.function<int (*)(void*, int, unsigned*)>("nvmlDeviceGetTemperature");
  const auto throttle =
      library_.function<int (*)(void*, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned value = 0;
  if (clock && clock(handle, clock_sm, &value) == 0 && value <= most_mhz) sample.sm_clock_mhz = value;
  if (clock && clock(handle, clock_memory, &value) == 0 && value <= most_mhz) sample.memory_clock_mhz = value;
  if (const auto now = power_now(handle, library_.function<AskFields>("nvmlDeviceGetFieldValues")))
    sample.power_w = *now / 1000.0;
  else if (power && power(handle, &value) == 0)
    sample.power_w = value / 1000.0;
  if (sample.power_w && !(*sample.power_w >= 0 && *sample.power_w <= most_watts)) sample.power_w.reset();
  if (temperature && temperature(handle, 0, &value) == 0 && value <= most_celsius)
    sample.temperature_c = value;
  unsigned long long bits = 0;
  if (throttle && throttle(handle, &bits) == 0)
    for (const Reason& reason : reasons)
      if (bits & reason.bit) sample.throttle_reasons.emplace_back(reason.text);
  return sample;
}

}  // namespace cutelab::device
