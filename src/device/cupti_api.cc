#include "device/cupti_api.h"

#include <fmt/format.h>

#include "device/counters.h"

namespace cutelab::device {
namespace {

struct CuptiBinder {
  const SharedLibrary& library;
  std::string missing;

  template <class F>
  void operator()(F& slot, const char* symbol) {
    slot = library.function<F>(symbol);
    if (!slot && missing.empty()) missing = symbol;
  }
};

void bind_host(CuptiApi& api, CuptiBinder& bind) {
  bind(api.initialize, "cuptiProfilerInitialize");
  bind(api.deinitialize, "cuptiProfilerDeInitialize");
  bind(api.device_supported, "cuptiProfilerDeviceSupported");
  bind(api.chip_name, "cuptiDeviceGetChipName");
  bind(api.host_initialize, "cuptiProfilerHostInitialize");
  bind(api.host_deinitialize, "cuptiProfilerHostDeinitialize");
  bind(api.host_properties, "cuptiProfilerHostGetMetricProperties");
  bind(api.host_add_metrics, "cuptiProfilerHostConfigAddMetrics");
  bind(api.host_config_size, "cuptiProfilerHostGetConfigImageSize");
  bind(api.host_config, "cuptiProfilerHostGetConfigImage");
  bind(api.host_passes, "cuptiProfilerHostGetNumOfPasses");
  bind(api.host_evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  bind(api.result_text, "cuptiGetResultString");
}

void bind_range(CuptiApi& api, CuptiBinder& bind) {
  bind(api.range_enable, "cuptiRangeProfilerEnable");
  bind(api.range_disable, "cuptiRangeProfilerDisable");
  bind(api.range_counter_size, "cuptiRangeProfilerGetCounterDataSize");
  bind(api.range_counter_initialize, "cuptiRangeProfilerCounterDataImageInitialize");
  bind(api.range_config, "cuptiRangeProfilerSetConfig");
  bind(api.range_start, "cuptiRangeProfilerStart");
  bind(api.range_stop, "cuptiRangeProfilerStop");
  bind(api.range_decode, "cuptiRangeProfilerDecodeData");
  bind(api.range_count, "cuptiRangeProfilerGetCounterDataInfo");
}

// CUptiResult values that a person can do something about.
constexpr int hardware_busy = 26;
constexpr int insufficient_privileges = 35;
constexpr int another_subscriber = 39;
constexpr int virtual_gpu_refuses = 40;

const char* remedy_of(int code) {
  switch (code) {
    case insufficient_privileges:
      return counters_refused_remedy;
    case hardware_busy:
    case another_subscriber:
      return "another profiler (ncu, DCGM) holds the counters: stop it, or `dcgmi profile --pause`";
    case virtual_gpu_refuses:
      return "the host must allow profiling for this virtual GPU";
    default:
      return "";
  }
}

}  // namespace

Status CuptiApi::checked(int code, const char* asked) const {
  if (code == 0) return {};
  const char* name = nullptr;
  if (result_text(code, &name) != 0 || !name) name = "unknown result";
  return Error{ErrorKind::unavailable, asked, fmt::format("{} ({})", name, code), "", remedy_of(code)};
}

Result<CuptiApi> load_cupti(const SharedLibrary& library) {
  const std::string remedy = "`cutelab setup cupti`, or name libcupti.so.13 in CUTELAB_CUPTI";
  if (!library.loaded()) return Error{ErrorKind::unavailable, "load CUPTI", library.missing(), "", remedy};
  CuptiApi api;
  CuptiBinder bind{library, ""};
  bind_host(api, bind);
  bind_range(api, bind);
  if (!bind.missing.empty())
    return Error{ErrorKind::unavailable, "load CUPTI", "the library lacks " + bind.missing, "", remedy};
  return api;
}

SharedLibrary open_first(const std::vector<std::string>& paths) {
  SharedLibrary library;
  for (const std::string& path : paths) {
    library = SharedLibrary(path, SharedLibrary::Stay::for_good);
    if (library.loaded()) break;
  }
  return library;
}

}  // namespace cutelab::device
