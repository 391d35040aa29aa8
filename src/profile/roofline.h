#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/units.h"
#include "kernel/plan.h"

namespace cutelab::profile {

/// A rate of a device with where it comes from. Tensor rates are dense.
struct Rate {
  double per_second = 0;  ///< bytes or flops
  std::string source;
};

/// Facts about one device model, from data/devices.json.
struct DeviceFacts {
  std::string name;                            ///< as the driver gives it: "NVIDIA H200"
  std::string arch;                            ///< "sm_90a"
  std::vector<std::string> aliases;            ///< marketing names
  std::optional<Rate> dram_peak;               ///< datasheet
  std::optional<Rate> dram_measured;           ///< largest measured read + write rate
  std::map<std::string, Rate> flops;           ///< by unit: "fp32", "bf16-tensor", …; datasheet, dense
  std::map<std::string, Rate> flops_measured;  ///< what `cutelab device --measure` reached
};

/// Errors (kind input): missing or malformed file, with the member that is wrong.
Result<std::vector<DeviceFacts>> load_device_facts(const FileSource& files, const std::string& path);

/// The facts of the device that calls itself `name`; nullptr if there are none.
const DeviceFacts* find_facts(const std::vector<DeviceFacts>& all, const std::string& name);

/// The least time that the work can take on a device.
struct Floor {
  Microseconds memory;      ///< compulsory bytes over the memory rate; 0 = rate unknown
  Microseconds arithmetic;  ///< the largest of flops over the unit's rate
  std::string memory_rate_source;
  std::string bound;  ///< "memory" or the unit
  std::string arithmetic_rate_source = {};
  /// Of the rate that bounds: where it comes from, dense or not, with the clock it assumes.
  const std::string& rate_source() const {
    return bound == "memory" ? memory_rate_source : arithmetic_rate_source;
  }
  Microseconds time() const { return memory > arithmetic ? memory : arithmetic; }
};

/// By datasheet peaks: no run can be faster. nullopt: nothing is known of the device's rates.
std::optional<Floor> peak_floor(const DeviceFacts& facts, const kernel::Work& work);
/// By measured ceilings where there are some: what a good kernel reaches.
std::optional<Floor> ceiling_floor(const DeviceFacts& facts, const kernel::Work& work);

}  // namespace cutelab::profile
