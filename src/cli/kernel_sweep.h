#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/kernel_run.h"
#include "kernel/sweep.h"

namespace cutelab::cli {

/// One command line over many problems.
struct SweepRequest {
  KernelRequest base;  ///< package, profile, check, timing; params and config come from each problem
  kernel::Sweep sweep;
  std::string config;  ///< --config, for each problem
  std::vector<int> gpus = {0};
  int shard = 0;  ///< of `shards` shares of the problems, this one
  int shards = 1;
  bool again = false;      ///< do not go on with an unfinished one
  std::string store = {};  ///< file
};

struct SweepOutcome {
  std::vector<std::pair<std::int64_t, evidence::Run>> runs;  ///< in the order of the problems
  int resumed = 0;                                           ///< points that an earlier start had done
};

/// Runs every problem, keeping each run as soon as it is made. A sweep that was ended in the middle goes on
/// with its open problems when the same one is asked for again on the same device. With several GPUs each
/// takes the next open problem. Errors: the store's.
Result<SweepOutcome> run_sweep(const SweepRequest& request, device::Device& device, const KernelLoader& load,
                               const Context& context);

/// The worst of the runs: a kernel's fault, a failed check, something not possible here, ok.
ExitCode exit_code_of(const SweepOutcome& outcome);

/// Hands the sweep to Slurm as an array of `shards` tasks, waits for them, and merges what they kept into the
/// request's store. `words` is the command line without the flags that concern the launcher. Errors (kind
/// unavailable): no sbatch, the job failed.
Result<SweepOutcome> run_sweep_in_slurm(const SweepRequest& request, const std::vector<std::string>& words,
                                        int shards, const std::string& options, const Context& context);

}  // namespace cutelab::cli
