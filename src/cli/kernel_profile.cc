#include "cli/kernel_profile.h"

#include "base/text.h"
#include "profile/kernel_counters.h"

namespace cutelab::cli {

std::string profile_counters(evidence::Run& run, const KernelRequest& request, device::Session& session,
                             const kernel::Launchable& kernel) {
  auto reading = profile::count_kernel(session, *request.package.plan, request.params, request.config, kernel,
                                       request.timing.l2);
  if (reading) {
    profile::record_counters(run, *reading);
    return "";
  }
  const Error& error = reading.error();
  const std::string reason = replace_all(error.asked + ": " + error.wrong, "\n", " ");
  without_counters(run, reason);
  return "counters: " + reason + (error.remedy.empty() ? "" : " (try: " + error.remedy + ")");
}

void without_counters(evidence::Run& run, const std::string& reason) {
  profile::record_no_counters(run, reason);
}

std::vector<std::string> cupti_paths(const Environment& environment, const std::string& source_root) {
  const std::string name = "libcupti.so.13";
  std::vector<std::string> paths;
  if (const auto named = environment.get("CUTELAB_CUPTI")) paths.push_back(*named);
  paths.push_back(source_root + "/build/deps/cupti/lib/" + name);
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto folder = environment.get(variable)) toolkits.push_back(*folder);
  toolkits.emplace_back("/usr/local/cuda");
  for (const std::string& toolkit : toolkits)
    for (const char* below : {"/extras/CUPTI/lib64/", "/lib64/"}) paths.push_back(toolkit + below + name);
  paths.push_back(name);
  return paths;
}

}  // namespace cutelab::cli
