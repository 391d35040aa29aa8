#pragma once
#include <string>

#include "cli/kernel_build.h"
#include "cli/kernel_run.h"

namespace cutelab::cli {

/// The package compiled so that its warp roles stamp what they do (kernels/role_timeline.cuh).
PackageBuild build_stamped(const kernel::Package& package, const kernel::CuteKernel& kernel,
                           const Context& context);

/// Launches the stamping build once on a warmed-up device with L2 as asked, and keeps the role timeline below
/// the data folder: a Perfetto trace and an SVG; the run's notes get the table of bubbles and what stamping
/// cost. Returns the reason why not, empty if done.
std::string profile_roles(evidence::Run& run, const KernelRequest& request, device::Session& session,
                          const KernelLoader& load, const PackageBuild& stamped, const Context& context);

}  // namespace cutelab::cli
