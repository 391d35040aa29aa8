#pragma once
#include <string>

#include "device/device.h"
#include "device/shared_library.h"

namespace cutelab::device {

/// NVML's functions that we use (NVML API reference). Every one may be refused; nothing here is needed for a
/// run.
class NvmlApi {
 public:
  NvmlApi();
  ~NvmlApi();
  NvmlApi(const NvmlApi&) = delete;
  NvmlApi& operator=(const NvmlApi&) = delete;

  const std::string& missing_because() const { return missing_; }
  std::string driver_version() const;
  void* handle_of(const std::string& pci_bus_id) const;  ///< nullptr if unknown
  Sample sample(void* handle) const;
  int max_clock_mhz(void* handle, int clock) const;  ///< 0 = not told; clock 1 = SM, 2 = memory

 private:
  SharedLibrary library_;
  std::string missing_;
};

}  // namespace cutelab::device
