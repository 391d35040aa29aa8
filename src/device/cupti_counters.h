#pragma once
#include <string>
#include <vector>

#include "device/counters.h"
#include "device/cupti_api.h"

namespace cutelab::device {

/// The device whose counters are read: its driver context (current on this thread) and its number.
struct CountedDevice {
  void* context = nullptr;  ///< CUcontext
  int index = 0;
};

/// Reads `metrics` over `work` with CUPTI's range profiler: one range per kernel, as many passes as the
/// metrics need, `work.before` ahead of each, the work launched anew in each. Metrics that the chip does not
/// have are left out and named. Errors (kind unavailable): the driver refuses counters, another profiler has
/// them, the work launches no kernel or too many; and the work's own errors.
Result<CounterReading> read_counters(const CuptiApi& api, const CountedDevice& device,
                                     const std::vector<std::string>& metrics, const CountedWork& work);

/// What a chip can count, asked of CUPTI's host library: needs no GPU.
class MetricPlan {
 public:
  /// Errors (kind unavailable): CUPTI does not know the chip, or none of the metrics.
  static Result<MetricPlan> make(const CuptiApi& api, const std::string& chip,
                                 const std::vector<std::string>& metrics);
  MetricPlan(MetricPlan&& other) noexcept;
  MetricPlan(const MetricPlan&) = delete;
  ~MetricPlan();

  const std::vector<std::string>& known() const { return known_; }
  const std::vector<std::string>& unknown() const { return unknown_; }
  const std::vector<std::uint8_t>& config() const { return config_; }
  int passes() const { return passes_; }
  std::vector<const char*> names() const;
  /// Values of known() in range `range` of the image.
  Result<std::vector<double>> evaluate(const std::vector<std::uint8_t>& image, std::size_t range) const;

 private:
  explicit MetricPlan(const CuptiApi& api) : api_(&api) {}
  Status schedule();
  const CuptiApi* api_;
  void* host_ = nullptr;
  std::vector<std::string> known_;
  std::vector<std::string> unknown_;
  std::vector<std::uint8_t> config_;
  int passes_ = 0;
};

}  // namespace cutelab::device
