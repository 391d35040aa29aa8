#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "device/device.h"
#include "evidence/run.h"
#include "kernel/loaded_kernel.h"
#include "kernel/registry.h"
#include "profile/event_timing.h"

namespace cutelab::cli {

/// What `cutelab kernel` was asked for.
struct KernelRequest {
  kernel::Package package;
  kernel::Params params;
  kernel::Config config;
  std::string prof_type = "event";
  bool check = false;
  int gpu = 0;
  profile::TimingSpec timing;
  /// The device's part runs in a child process that is ended when one step there lasts longer than this; 0 =
  /// in this process, without a limit.
  double time_limit_seconds = 0;
  std::string command = {};                    ///< the command line that makes the run again
  std::vector<std::string> export_flags = {};  ///< of an imported kernel: how it is exported, as flags
};

using KernelLoader = std::function<Result<std::unique_ptr<kernel::Launchable>>(const std::string& library)>;
/// `library_folders`: where libraries that a kernel opens itself are looked for (kernel/libraries.h).
KernelLoader dlopen_loader(std::vector<std::string> library_folders = {});
/// dlopen_loader() with the folders of this machine.
KernelLoader package_loader(const Context& context);

/// The run, and what of the request could not be done here, one sentence each.
struct KernelOutcome {
  evidence::Run run;
  std::vector<std::string> not_done;
};

/// Compiles (or takes from the cache), inspects, checks and times, as far as this machine allows. What cannot
/// be done becomes a reason in the run; only a wrong request is an error.
Result<KernelOutcome> run_kernel(const KernelRequest& request, device::Device& device,
                                 const KernelLoader& load, const Context& context);

}  // namespace cutelab::cli
