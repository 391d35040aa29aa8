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

/// Refused before the launch: more shared memory than a block of the device may opt in to. A runtime that is
/// asked for it may do nothing and say nothing.
Status fits(const kernel::LaunchShape& shape, const device::DeviceInfo& device);

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
  /// The reference of the inputs that are bound, by the device's operators.
  Result<kernel::Outputs> reference(device::Session& session, const kernel::DeviceReference& call,
                                    const kernel::Launchable& operators) const;

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
  int on_device = 0;           ///< problems whose reference the device's operators computed
  std::string operators_text;  ///< how those did against the host's on a small problem; empty = not asked
  bool passed() const;
  const CheckLine* worst() const;  ///< first failed line, else the one with the largest relative error
};

/// Runs the kernel on fresh random inputs, three fills with three seeds at `params` and one at each ragged
/// problem, outputs poisoned before each, against the double-precision reference. The large problem is
/// checked whole. `operators`: kernels/reference, null = the host computes every reference. With them, a
/// problem of more than `host_operations` gets its reference from the device, if on a smaller problem of this
/// kernel they say what the host says.
Result<CheckResult> check_kernel(device::Session& session, const kernel::KernelPlan& plan,
                                 const kernel::Params& params, const kernel::Config& config,
                                 const kernel::Launchable& kernel, const Progress& progress = {},
                                 const kernel::Launchable* operators = nullptr);

/// Multiply-adds that the host does soon enough: about a second on one processor.
constexpr double host_operations = 1 << 27;
/// Whether one of the problems of a check is larger than that and the device's operators know it.
bool wants_device_reference(const kernel::KernelPlan& plan, const kernel::Params& params,
                            const kernel::Config& config);

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
