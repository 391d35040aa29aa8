#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli/kernel_run.h"
#include "profile/compare.h"
#include "profile/store.h"

namespace cutelab::cli {

/// One problem, all of a kernel's configurations.
struct TuneRequest {
  KernelRequest base;  ///< package, params, l2, gpu, time limit
  int finalists = 4;   ///< so many are timed again, in the same rounds
  profile::CompareSpec spec;
  bool again = false;  ///< do not take a stored result
  std::string store;   ///< file
};

struct TuneOutcome {
  struct Candidate {
    kernel::Config config;
    std::string failed_because;  ///< did not compile, wrong result, fault, time limit
    double screened_us = 0;      ///< 0 = not timed
    double final_us = 0;         ///< 0 = no finalist
  };
  std::vector<Candidate> candidates;    ///< legal ones, in the plan's order
  std::map<std::string, int> rejected;  ///< by the plan: reason -> how many
  profile::TunedKey key;
  profile::Tuned best;  ///< values empty = none could be timed
  bool from_store = false;
  std::string said;                ///< why this one
  evidence::Run::Outcome outcome;  ///< why nothing could be timed
};

/// Compiles every legal configuration, times each a few launches with the cache as asked for, holds its
/// outputs against those of the plan's own choice, and times the best few again in the same rounds. The
/// plan's own choice stays unless another one is faster beyond the margin. The result is kept by device,
/// driver, compiler, sources and problem, and taken from there the next time. Work on the GPU happens in
/// processes of its own: a configuration that hangs or faults is counted as failed and the next is tried.
Result<TuneOutcome> tune_kernel(const TuneRequest& request, device::Device& device, const KernelLoader& load,
                                const Context& context);

/// What an earlier tune_kernel kept for this problem here. Error (kind input): nothing.
Result<kernel::Config> tuned_config(const TuneRequest& request, device::Device& device,
                                    const Context& context);

/// For a terminal.
std::string tune_report(const TuneOutcome& outcome, int width = 0);

}  // namespace cutelab::cli
