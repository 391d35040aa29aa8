#pragma once
#include <string>

#include "cli/kernel_run.h"
#include "report/roofline_view.h"

namespace cutelab::cli {

/// What of `--prof_type` needs more than events: hardware counters, ncu, a timeline. Each fills its rows of
/// the run, or says there why they are empty; the returned text is the reason why the whole was not done,
/// empty if it was.
std::string profile_counters(evidence::Run& run, const KernelRequest& request, device::Session& session,
                             const kernel::Launchable& kernel);

/// The same rows by Nsight Compute: this program is started anew under it, its report is kept below the data
/// folder and read back. `device_function` is part of the kernel's name.
std::string profile_ncu(evidence::Run& run, const KernelRequest& request, const std::string& device_function,
                        const Context& context);

/// Launches the kernel a few times under CUPTI's activity records and keeps the timeline as a Perfetto trace
/// below the data folder.
std::string profile_timeline(evidence::Run& run, const KernelRequest& request, device::Session& session,
                             const kernel::Launchable& kernel, const Context& context);

/// <data folder>/reports/<design>-<version>-<time> without an ending, the folder made.
std::string report_path(const evidence::Run& run, const KernelRequest& request, const Context& context);

/// The rows of counters where none were asked for, or where they could not be.
void without_counters(evidence::Run& run, const std::string& reason);

/// The run under the roofs of its device (data/devices.json): datasheet peaks and measured ceilings. Errors
/// (kind unavailable): nothing is known of the device, or the run has none.
Result<report::Roofline> roofline_of(const evidence::Run& run, const KernelRequest& request,
                                     const Context& context);

/// Where CUPTI's library may lie, in the order tried: $CUTELAB_CUPTI, the part `cupti` of `cutelab setup`,
/// the CUDA toolkits ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda), the loader's own folders.
std::vector<std::string> cupti_paths(const Environment& environment, const std::string& source_root);

}  // namespace cutelab::cli
