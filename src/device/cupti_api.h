#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/shared_library.h"

namespace cutelab::device {

/// The parts of CUPTI's C interface that we use (CUPTI API reference, 13.x): parameter blocks whose first
/// member is their size up to the last member known, so that newer libraries take older blocks. Written down
/// here so that the program builds without CUPTI; tests/device holds sizes and offsets against those of
/// CUPTI's headers.
namespace cupti {

struct Block {  // start of every parameter block
  std::size_t size = 0;
  void* reserved = nullptr;
};
struct Plain : Block {};  // cuptiProfilerInitialize, cuptiProfilerDeInitialize
struct ChipName : Block {
  std::size_t device_index = 0;
  const char* chip = nullptr;  // out
};
struct DeviceSupported : Block {
  int device = 0;
  int supported = 0;  // out; 3 = supported, 2 = disabled, 1 = not supported; as are the next six
  int architecture = 0;
  int sli = 0;
  int vgpu = 0;
  int confidential_compute = 0;
  int cmp = 0;
  int wsl = 0;
  int api = 0;  // in; 0 = range profiling
};
struct HostInitialize : Block {
  int profiler_type = 0;  // 0 = range profiler
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  void* host = nullptr;  // out
};
struct HostObject : Block {  // cuptiProfilerHostDeinitialize
  void* host = nullptr;
};
struct HostMetricProperties : Block {
  void* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;  // out, as the next three
  const char* unit_of_hardware = nullptr;
  const char* dimension = nullptr;
  int type = 0;
};
struct HostAddMetrics : Block {
  void* host = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
};
struct HostConfigSize : Block {
  void* host = nullptr;
  std::size_t bytes = 0;  // out
};
struct HostConfig : Block {
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* config = nullptr;  // out
};
struct HostPasses : Block {
  std::size_t bytes = 0;
  std::uint8_t* config = nullptr;
  std::size_t passes = 0;  // out
};
struct HostEvaluate : Block {
  void* host = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t image_bytes = 0;
  std::size_t range = 0;
  const char** metrics = nullptr;
  std::size_t count = 0;
  double* values = nullptr;  // out
};
struct RangeEnable : Block {
  void* context = nullptr;
  void* profiler = nullptr;  // out
};
struct RangeObject : Block {  // cuptiRangeProfilerStart, cuptiRangeProfilerDisable
  void* profiler = nullptr;
};
struct RangeCounterSize : Block {
  void* profiler = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
  std::size_t most_ranges = 0;
  std::uint32_t most_nodes = 0;
  std::size_t bytes = 0;  // out
};
struct RangeCounterInitialize : Block {
  void* profiler = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct RangeConfig : Block {
  void* profiler = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t image_bytes = 0;
  std::uint8_t* image = nullptr;
  int range = 0;   // 1 = one per kernel, 2 = by the caller
  int replay = 0;  // 3 = by the caller
  std::size_t most_ranges = 0;
  std::uint16_t nesting_levels = 0;
  std::uint16_t least_nesting_level = 0;
  std::size_t pass = 0;
  std::uint16_t nesting_level = 0;
};
struct RangeStop : Block {
  void* profiler = nullptr;
  std::size_t pass = 0;  // out, as the next two
  std::size_t nesting_level = 0;
  std::uint8_t all_passes_submitted = 0;
};
struct RangeDecode : Block {
  void* profiler = nullptr;
  std::size_t dropped = 0;  // out
};
struct RangeCount : Block {
  const std::uint8_t* image = nullptr;
  std::size_t image_bytes = 0;
  std::size_t ranges = 0;  // out
};

/// Bytes up to the last member, as CUPTI wants them; differs from sizeof where the block ends in padding.
template <class B>
std::size_t size_of() {
  return sizeof(B);
}
template <>
inline std::size_t size_of<DeviceSupported>() {
  return sizeof(DeviceSupported) - 4;
}
template <>
inline std::size_t size_of<HostMetricProperties>() {
  return sizeof(HostMetricProperties) - 4;
}
template <>
inline std::size_t size_of<RangeConfig>() {
  return sizeof(RangeConfig) - 6;
}
template <>
inline std::size_t size_of<RangeStop>() {
  return sizeof(RangeStop) - 7;
}

/// A block of type B with its size filled in.
template <class B>
B block() {
  B made;
  made.size = size_of<B>();
  return made;
}

}  // namespace cupti

/// CUPTI's functions; results are CUptiResult, 0 = success.
struct CuptiApi {
  int (*initialize)(cupti::Plain*) = nullptr;
  int (*deinitialize)(cupti::Plain*) = nullptr;
  int (*device_supported)(cupti::DeviceSupported*) = nullptr;
  int (*chip_name)(cupti::ChipName*) = nullptr;
  int (*host_initialize)(cupti::HostInitialize*) = nullptr;
  int (*host_deinitialize)(cupti::HostObject*) = nullptr;
  int (*host_properties)(cupti::HostMetricProperties*) = nullptr;
  int (*host_add_metrics)(cupti::HostAddMetrics*) = nullptr;
  int (*host_config_size)(cupti::HostConfigSize*) = nullptr;
  int (*host_config)(cupti::HostConfig*) = nullptr;
  int (*host_passes)(cupti::HostPasses*) = nullptr;
  int (*host_evaluate)(cupti::HostEvaluate*) = nullptr;
  int (*range_enable)(cupti::RangeEnable*) = nullptr;
  int (*range_disable)(cupti::RangeObject*) = nullptr;
  int (*range_counter_size)(cupti::RangeCounterSize*) = nullptr;
  int (*range_counter_initialize)(cupti::RangeCounterInitialize*) = nullptr;
  int (*range_config)(cupti::RangeConfig*) = nullptr;
  int (*range_start)(cupti::RangeObject*) = nullptr;
  int (*range_stop)(cupti::RangeStop*) = nullptr;
  int (*range_decode)(cupti::RangeDecode*) = nullptr;
  int (*range_count)(cupti::RangeCount*) = nullptr;
  int (*result_text)(int, const char**) = nullptr;

  /// Success, or an Error (kind unavailable) with CUPTI's name of `code` and, where it is known, what to do.
  Status checked(int code, const char* asked) const;
};

/// Errors (kind unavailable): the library is missing or too old.
Result<CuptiApi> load_cupti(const SharedLibrary& library);

/// The first of `paths` that opens. Its `missing()` says why the last one did not.
SharedLibrary open_first(const std::vector<std::string>& paths);

}  // namespace cutelab::device
