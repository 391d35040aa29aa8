#pragma once
#include <string>

#include "cli/kernel_run.h"

namespace cutelab::cli {

/// What of `--prof_type` needs more than events: hardware counters, ncu, a timeline. Each fills its rows of
/// the run, or says there why they are empty; the returned text is the reason why the whole was not done,
/// empty if it was.
std::string profile_counters(evidence::Run& run, const KernelRequest& request, device::Session& session,
                             const kernel::Launchable& kernel);

/// The rows of counters where none were asked for, or where they could not be.
void without_counters(evidence::Run& run, const std::string& reason);

/// Where CUPTI's library may lie, in the order tried: $CUTELAB_CUPTI, the part `cupti` of `cutelab setup`,
/// the CUDA toolkits ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda), the loader's own folders.
std::vector<std::string> cupti_paths(const Environment& environment, const std::string& source_root);

}  // namespace cutelab::cli
