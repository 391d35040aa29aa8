#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "device/device.h"
#include "evidence/run.h"
#include "kernel/loaded_kernel.h"
#include "kernel/plan.h"
#include "profile/event_timing.h"
#include "profile/roofline.h"

namespace cutelab::profile {

/// Told what is begun; `on_device` = a kernel that hangs would make it last for ever.
using Progress = std::function<void(const std::string& what, bool on_device)>;

/// One problem on one opened GPU: tensors uploaded, outputs poisoned, kernel bound to their addresses.
class BoundProblem {
 public:
  /// Errors: the plan's, or the driver's (memory).
  static Result<BoundProblem> bind(device::Session& session, const kernel::KernelPlan& plan,
                                   const kernel::Params& params, const kernel::Config& config,
                                   kernel::Fill fill, kernel::Seed seed);

  Status poison(device::Session& session) const;  ///< every byte 0xFF: NaN in each type
  /// Inputs uploaded again and outputs poisoned: as before the first launch.
  Status restore(device::Session& session) const;
  Status launch(device::Session& session, const kernel::Launchable& kernel) const;
  /// The same tensors at the same addresses for another configuration of the kernel.
  void use(device::Session& session, kernel::CuteKernel other);
  /// The outputs as the device holds them.
  Result<kernel::Outputs> download(device::Session& session) const;

  kernel::Inputs inputs;
  kernel::Outputs outputs;  ///< shapes; content is what download() last saw elsewhere
  kernel::CuteKernel kernel;
  kernel::LaunchShape shape;

 private:
  kernel::Addresses addresses_;
  std::vector<std::byte> arguments_;
};

struct CheckLine {
  std::string problem;  ///< "b=17 dtype=bf16 h=1000"
  std::string fill;
  kernel::Seed seed = 0;
  kernel::ErrorReport report;
};

struct CheckResult {
  std::vector<CheckLine> lines;
  kernel::Tolerance tolerance;
  bool passed() const;
  const CheckLine* worst() const;  ///< first failed line, else the one with the largest relative error
};

/// Runs the kernel on fresh random inputs, three fills with three seeds at `params` and one at each ragged
/// problem, outputs poisoned before each, against the double-precision reference. The large problem is
/// checked whole.
Result<CheckResult> check_kernel(device::Session& session, const kernel::KernelPlan& plan,
                                 const kernel::Params& params, const kernel::Config& config,
                                 const kernel::Launchable& kernel, const Progress& progress = {});

/// Times the kernel on inputs filled as `spec` says, and compares the outputs that the timed launches left
/// with those of a launch before them.
Result<Timing> time_kernel(device::Session& session, const kernel::KernelPlan& plan,
                           const kernel::Params& params, const kernel::Config& config,
                           const kernel::Launchable& kernel, const TimingSpec& spec, const Clock& clock,
                           const Progress& progress = {});

/// Writes the check into the run.
void record_check(evidence::Run& run, const CheckResult& check);

/// Writes duration, rates, roofline rows and the device's state into the run. `facts` may be null: rows then
/// say why they are empty. A median below the datasheet floor with a cold cache is rejected: the duration row
/// then carries the reason, not the time.
void record_timing(evidence::Run& run, const Timing& timing, const TimingSpec& spec, const kernel::Work& work,
                   const DeviceFacts* facts);

}  // namespace cutelab::profile
